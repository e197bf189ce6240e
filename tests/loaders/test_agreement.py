"""What the source says must be what is live; anything else stops with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from loaders.site_trees import build, replace_in
from rankfold_loaders import live
from rankfold_loaders.agreement import join
from rankfold_loaders.check import documented_in_source
from rankfold_loaders.faults import SiteError
from rankfold_loaders.live import Live
from rankfold_loaders.project import Project
from rankfold_loaders.registries import RegistryPage
from rankfold_loaders.static import Reader

ARMS = "src/rankfold/retrieval/arms"


def test_the_two_sides_agree(project: Project, live_registries: Live) -> None:
    joined, faults = join(project, live_registries)
    assert not faults
    assert [entry.name for entry in joined.entries["arms"]] == [
        arm["name"] for arm in live_registries["registries"]["arms"]
    ]
    fts = joined.entry("arms", "fts")
    assert fts.text("weight") == "1.0"
    assert fts.source.file == f"{ARMS}/fts.py"
    assert fts.source.url.startswith("https://github.com/rankfold/rankfold/blob/")
    assert fts.source.url.endswith(f"{ARMS}/fts.py#L{fts.source.line}")


def test_authored_text_is_kept_as_written(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "class Arm:\n    name: str\n    weight: float\nHALF = 0.5\n"
        'ONE = Arm(name="one", weight=1.50, other=1_000, third=1e-3)\n'
        'TWO: Arm = Arm(\n    name="two",\n    weight=HALF,\n    raw=Arm(unit="none"),\n    weights={"one": 0.10},\n)\n'
    )
    (tmp_path / "more.py").write_text('from own import Arm\nTHREE = Arm("three", 2.50)\n"""What it is."""\n')
    row = RegistryPage(
        kind="arms", word="arm", title="", description="", uri="", columns=(),
        records="", record="own:Arm", modules=("own", "more"),
    )  # fmt: skip
    one, two, three = Reader(tmp_path).records(row)
    assert [one.fields[name].text for name in ("weight", "other", "third")] == ["1.50", "1_000", "1e-3"]
    assert (one.line, two.line, two.fields["weight"].line) == (5, 6, 8)
    assert (three.name, three.fields["weight"].text, three.below) == ("three", "2.50", "What it is.")
    assert not two.fields["weight"].literal
    assert two.fields["weight"].text == "HALF"
    assert two.fields["raw.unit"].value == "none"
    assert two.fields["weights.one"].text == "0.10"


def test_a_literal_that_is_not_the_live_value_is_a_fault_with_its_line(own_tree: Path) -> None:
    package = own_tree / ARMS / "__init__.py"
    replace_in(
        package,
        "ARMS: tuple[Arm, ...] = (FTS,",
        "from dataclasses import replace\n\nARMS: tuple[Arm, ...] = (replace(FTS, weight=2.0),",
    )
    line = next(
        number
        for number, text in enumerate((own_tree / ARMS / "fts.py").read_text().splitlines(), start=1)
        if text.strip() == "weight=1.0,"
    )
    _, faults = join(Project(own_tree), live.read(Project(own_tree)))
    assert [str(fault) for fault in faults] == [
        f"{ARMS}/fts.py:{line}: arm fts: the source says weight=1.0, the live registry has 2.0"
    ]
    for options in ((), ("-v",), ("-q",)):
        ran = build(own_tree, own_tree / "site", *options)
        assert ran.returncode != 0
        assert f"{ARMS}/fts.py:{line}" in ran.stdout + ran.stderr


def test_a_record_that_is_written_but_not_registered_is_a_fault(own_tree: Path) -> None:
    replace_in(own_tree / ARMS / "__init__.py", ", SALIENCE)", ")")
    replace_in(own_tree / "src/rankfold/retrieval/profiles.py", ', "salience": 0.05', "")
    _, faults = join(Project(own_tree), live.read(Project(own_tree)))
    assert len(faults) == 1
    assert faults[0].place.startswith(f"{ARMS}/salience.py:")
    assert "not registered" in faults[0].message


def test_an_undocumented_record_is_named_with_its_line(own_tree: Path) -> None:
    file = own_tree / "src/rankfold/constants.py"
    replace_in(file, 'doc="Hits per answer."', 'doc=""')
    outcome = documented_in_source(Project(own_tree))
    assert not outcome.passed
    assert len(outcome.faults) == 1
    assert "constant limit is not documented" in outcome.faults[0]
    assert outcome.faults[0].startswith("src/rankfold/constants.py:")
    with pytest.raises(SiteError, match="it is not documented"):
        live.read(Project(own_tree))


def test_line_ends_of_another_system_change_nothing(own_tree: Path) -> None:
    for file in (own_tree / "src").rglob("*.py"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    joined, faults = join(Project(own_tree), live.read(Project(own_tree)))
    assert not faults
    assert joined.entry("arms", "fts").text("weight") == "1.0"
