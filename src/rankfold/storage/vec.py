"""sqlite-vec, loaded and tried, or the reason why not.

Importing the package proves nothing: a wheel for another processor imports and does not load. So one query is run.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import apsw

from rankfold.environment import VEC_LIBRARY, value_of


def load_vec(connection: apsw.Connection) -> tuple[str | None, str]:
    """Load sqlite-vec into a connection.

    Returns:
        Its version and nothing, or None and the reason. The variable `VEC_LIBRARY` names another library file.
    """
    try:
        # Importing the package imports numpy too, which takes longer than a search.
        found = importlib.util.find_spec("sqlite_vec")
        if found is None or found.origin is None:
            return None, "the package sqlite-vec is not installed"
        path = value_of(VEC_LIBRARY) or str(Path(found.origin).with_name("vec0"))
        connection.enable_load_extension(True)
        try:
            connection.load_extension(path)
        finally:
            connection.enable_load_extension(False)
        answer: Any = connection.execute(
            "SELECT vec_version(), vec_distance_cosine(vec_f32('[1, 0]'), vec_f32('[0, 1]'))"
        ).fetchall()
        version, distance = answer[0]
        if abs(distance - 1.0) > 1e-6:
            return None, f"sqlite-vec loaded but computes wrong distances ({distance})"
        return str(version), ""
    except (apsw.Error, ImportError, AttributeError, OSError, ValueError) as problem:
        return None, f"sqlite-vec does not load: {problem}"
