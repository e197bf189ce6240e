"""What holds for the whole project: types, style, the public names, which way imports point, what is tracked."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import rankfold

ROOT = Path(__file__).parents[1]
LAYERS = {
    # A module may import from its own part and from those named here.
    "records": {"models", "retrieval"},  # for annotations only
    "environment": {"records"},
    "storage": {"constants", "environment", "errors", "records"},
    "embedding": {"environment", "errors", "records"},
    "indexing": {"constants", "derivation", "embedding", "errors", "fields", "records", "storage", "times"},
    "retrieval": {
        "constants",
        "derivation",
        "embedding",
        "environment",
        "errors",
        "fields",
        "models",
        "records",
        "storage",
        "times",
    },
}


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)


def test_types_are_strict_and_sound() -> None:
    done = run("mypy")
    assert done.returncode == 0, done.stdout


def test_a_planted_type_error_is_refused(tmp_path: Path) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text("import rankfold\n\nlimit: int = rankfold.open('x').search('y').query\n", encoding="utf-8")
    done = run("mypy", "--strict", str(planted))
    assert done.returncode == 1
    assert "Incompatible types in assignment" in done.stdout


def test_the_linter_and_the_formatter_find_nothing() -> None:
    for command in (("ruff", "check", "."), ("ruff", "format", "--check", ".")):
        done = run(*command)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_public_names_are_sorted_complete_and_documented() -> None:
    assert rankfold.__all__ == sorted(rankfold.__all__)
    public = {
        name
        for name, value in vars(rankfold).items()
        if not name.startswith("_") and getattr(value, "__module__", "").startswith("rankfold.")
    }
    assert public == set(rankfold.__all__)
    for name in rankfold.__all__:
        assert getattr(rankfold, name).__doc__, name


def imports_of(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_imports_point_one_way() -> None:
    source = ROOT / "src" / "rankfold"
    wrong = []
    for part, allowed in LAYERS.items():
        files = [source / f"{part}.py"] if (source / f"{part}.py").exists() else (source / part).rglob("*.py")
        for file in files:
            for module in imports_of(file):
                name = module.removeprefix("rankfold.")
                if module.startswith("rankfold.") and name.split(".")[0] != part:
                    is_allowed = any(name == other or name.startswith(f"{other}.") for other in allowed)
                    if not is_allowed:
                        wrong.append(f"{file.relative_to(ROOT)} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_nothing_in_the_library_knows_the_site_and_one_loader_knows_mkdocs() -> None:
    for file in (ROOT / "src").rglob("*.py"):
        packages = {module.split(".")[0] for module in imports_of(file)}
        assert not packages & {"mkdocs", "rankfold_loaders", "jinja2"}, file
    knows = [
        file.relative_to(ROOT / "loaders").as_posix()
        for file in (ROOT / "loaders").rglob("*.py")
        if "mkdocs" in {module.split(".")[0] for module in imports_of(file)}
    ]
    assert knows == ["rankfold_loaders/mkdocs_adapter.py"]


def test_every_test_asserts_something() -> None:
    silent = []
    for file in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                text = ast.unparse(node)
                if not any(word in text for word in ("assert", "raises", "fail(")):
                    silent.append(f"{file.name}::{node.name}")
    assert not silent, silent
