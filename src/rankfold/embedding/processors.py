"""How many processors this process may really use.

`os.cpu_count()` counts those of the machine. A container with a quota of two processors on a machine of
sixty-four would start sixty-four threads that wait for each other, which is many times slower than two.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

__all__ = ["usable_processors"]


def usable_processors(root: Path = Path("/")) -> int:
    """Processors left by the affinity of the process and by the quotas of its control groups.

    Args:
        root: folder that holds `proc` and `sys`; another than `/` only in tests.

    Returns:
        At least 1. A quota with a fraction is rounded down: one thread too many costs more than one too few.
    """
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quotas = _quotas(root)
    return max(1, min([count, *(int(quota) for quota in quotas)]))


def _quotas(root: Path) -> list[float]:
    """Quotas, in processors, of every control group above this process. Empty where there are none."""
    try:
        groups = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
        mounts = (root / "proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):  # not Linux, or hidden
        return []
    quotas = []
    for group in groups:
        # "0::/path" in version 2, "3:cpu,cpuacct:/path" in version 1
        _, controllers, path = [*group.split(":", 2), "", ""][:3]
        if controllers and "cpu" not in controllers.split(","):
            continue
        read = _quota_v1 if controllers else _quota_v2
        for folder in _group_folders(root, mounts, path, version=1 if controllers else 2):
            quota = read(folder)
            if quota is not None:
                quotas.append(quota)
    return quotas


def _group_folders(root: Path, mounts: list[str], path: str, version: int) -> list[Path]:
    """The folders of a control group and of all groups above it, as mounted here."""
    for mount in mounts:
        # "31 23 0:28 /root/in/hierarchy /mount/point options - type source superoptions"
        place, _, kind = mount.partition(" - ")
        fields, kinds = place.split(" "), kind.split(" ")
        if len(fields) < 5 or len(kinds) < 3:
            continue
        if kinds[0] != ("cgroup2" if version == 2 else "cgroup"):
            continue
        if version == 1 and "cpu" not in kinds[2].split(","):
            continue
        top = root / fields[4].lstrip("/")
        try:
            below = PurePosixPath(path).relative_to(fields[3])
        except ValueError:  # the group lies outside what this container sees: the mount is all there is
            below = PurePosixPath()
        folder = top / below
        return [folder, *(parent for parent in folder.parents if parent.is_relative_to(top))]
    return []


def _quota_v2(folder: Path) -> float | None:
    """Read `cpu.max`: "200000 100000" is two processors, "max 100000" is no limit."""
    words = _words(folder / "cpu.max")
    return _ratio(words[0], words[1]) if len(words) == 2 else None


def _quota_v1(folder: Path) -> float | None:
    """Read the quota and period of version 1; a quota of -1 is no limit."""
    quota, period = _words(folder / "cpu.cfs_quota_us"), _words(folder / "cpu.cfs_period_us")
    return _ratio(quota[0], period[0]) if quota and period else None


def _words(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return []


def _ratio(quota: str, period: str) -> float | None:
    if not quota.isdecimal() or not period.isdecimal() or int(quota) == 0 or int(period) == 0:
        return None  # "max" and "-1" mean no limit
    return int(quota) / int(period)
