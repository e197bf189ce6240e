"""Processors that this process may use, under every form of container quota."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rankfold.embedding.processors import usable_processors

MOUNT_V2 = "41 31 0:38 {inside} /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
MOUNT_V1 = "32 31 0:29 {inside} /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"


@pytest.fixture(autouse=True)
def _eight_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


def machine_v2(root: Path, path: str, limits: dict[str, str], inside: str = "/") -> Path:
    return write(
        root,
        {"proc/self/cgroup": f"0::{path}\n", "proc/self/mountinfo": MOUNT_V2.format(inside=inside)}
        | {f"sys/fs/cgroup/{folder}/cpu.max": text for folder, text in limits.items()},
    )


def machine_v1(root: Path, path: str, folder: str, quota: str, inside: str = "/") -> Path:
    return write(
        root,
        {
            "proc/self/cgroup": f"4:memory:/x\n3:cpu,cpuacct:{path}\n2:cpuset:/y\n",
            "proc/self/mountinfo": MOUNT_V1.format(inside=inside),
            f"sys/fs/cgroup/cpu/{folder}/cpu.cfs_quota_us": quota,
            f"sys/fs/cgroup/cpu/{folder}/cpu.cfs_period_us": "100000\n",
        },
    )


def test_without_quotas_affinity_counts(tmp_path: Path) -> None:
    assert usable_processors(tmp_path) == 8


def test_a_quota_of_version_2_limits(tmp_path: Path) -> None:
    assert usable_processors(machine_v2(tmp_path, "/a", {"a": "200000 100000\n"})) == 2


def test_the_smallest_quota_of_all_groups_above_counts(tmp_path: Path) -> None:
    limits = {".": "max 100000\n", "a": "300000 100000\n", "a/b": "max 100000\n"}
    assert usable_processors(machine_v2(tmp_path, "/a/b", limits)) == 3


def test_a_group_inside_a_container_is_found_below_its_mount(tmp_path: Path) -> None:
    root = machine_v2(tmp_path, "/docker/1/job", {"job": "400000 100000\n"}, inside="/docker/1")
    assert usable_processors(root) == 4


def test_a_group_outside_the_mount_falls_back_to_the_mount(tmp_path: Path) -> None:
    root = machine_v2(tmp_path, "/../elsewhere", {".": "200000 100000\n"}, inside="/docker/1")
    assert usable_processors(root) == 2


def test_a_quota_of_version_1_limits(tmp_path: Path) -> None:
    assert usable_processors(machine_v1(tmp_path, "/a", "a", "250000\n")) == 2


def test_a_quota_of_version_1_in_a_container_limits(tmp_path: Path) -> None:
    assert usable_processors(machine_v1(tmp_path, "/docker/1", ".", "500000\n", inside="/docker/1")) == 5


def test_minus_one_is_no_limit_in_version_1(tmp_path: Path) -> None:
    assert usable_processors(machine_v1(tmp_path, "/a", "a", "-1\n")) == 8


def test_half_a_processor_is_one_thread(tmp_path: Path) -> None:
    assert usable_processors(machine_v2(tmp_path, "/a", {"a": "50000 100000\n"})) == 1


def test_a_quota_above_the_processors_does_not_add_any(tmp_path: Path) -> None:
    assert usable_processors(machine_v2(tmp_path, "/a", {"a": "9900000 100000\n"})) == 8


@pytest.mark.parametrize("text", ["", "max", "x y", "100000 0", "1 2 3"])
def test_a_file_that_makes_no_sense_is_no_limit(tmp_path: Path, text: str) -> None:
    assert usable_processors(machine_v2(tmp_path, "/a", {"a": text})) == 8


def test_process_files_that_make_no_sense_are_no_limit(tmp_path: Path) -> None:
    root = write(tmp_path, {"proc/self/cgroup": "nonsense\n\n0:\n", "proc/self/mountinfo": "- -\nx - y\n"})
    assert usable_processors(root) == 8
