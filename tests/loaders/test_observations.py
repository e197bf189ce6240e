"""What is observed on the sample corpus: each example shows its record at work, and shows it everywhere alike."""

from __future__ import annotations

import importlib.util
import itertools
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import apsw
import pytest

import rankfold
from loaders.site_trees import REPOSITORY
from rankfold.records import Arm, RawValue
from rankfold.retrieval.registry import Registry, built_in
from rankfold.storage.connection import fetch
from rankfold_loaders.observations import Observed, observe, shown
from rankfold_loaders.sample import Sample, build
from support import TableEmbedder, write

NOTES = REPOSITORY / "examples" / "notes"
RESTORE = "notes/database/restore-a-backup.md"
COPY = "notes/team/on-call/restore-a-backup.md"

FIRST = {
    "fts": "notes/database/checkpoints.md",
    "vector": "notes/database/readers-and-writer.md",
    "recency": "notes/team/this-week.md",
    "salience": "notes/database/commands.md",
}
"""What a person would want each arm to find first, by its own example."""

SECONDS = "seconds since 1970-01-01 UTC"

LENGTH = Arm(
    name="length",
    title="Length",
    weight=0.0,
    reads="corpus",
    preconditions=("candidates",),
    raw=RawValue(name="characters", unit="code points", better="lower"),
    sql="""
SELECT document_id, row_number() OVER (ORDER BY raw, file, ordinal) AS rank, raw
FROM (
  SELECT d.id AS document_id, length(t.body) AS raw, d.file, d.ordinal
  FROM {scope} AS s CROSS JOIN document AS d ON d.id = s.document_id JOIN full_text AS t ON t.id = d.id
  ORDER BY raw, d.file, d.ordinal
  LIMIT ?2
)
""",
    doc="Ranks documents by how short they are.",
    example="a short word",
    since="1",
)
"""An arm that no profile gives a weight."""


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    folder = tmp_path_factory.mktemp("sample")
    made = build(NOTES, folder, registries=built_in(), cache=folder / "vectors")
    yield made
    made.close()


@pytest.fixture(scope="module")
def seen(sample: Sample) -> Observed:
    return observe(built_in(), sample)


# ── arms ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_arms_example_makes_it_rank_and_finds_what_a_person_would_want(seen: Observed) -> None:
    assert set(seen["arms"]) == set(built_in().arms.names) == set(FIRST)
    for name, arm in seen["arms"].items():
        assert arm["fires"], name
        assert arm["query"] == built_in().arms[name].example
        assert arm["profile"] == "documents"
        assert len(arm["ranked"]) >= 3, name
        assert arm["ranked"][0]["path"] == FIRST[name]
        assert not arm["dropped"]


def test_every_arm_changes_some_place_of_its_example(seen: Observed) -> None:
    for name, arm in seen["arms"].items():
        assert any(hit["place"] != hit["place_without"] for hit in arm["hits"]), name


def test_an_arm_that_weighs_next_to_nothing_changes_no_place(sample: Sample) -> None:
    tiny = replace(LENGTH, weight=0.000001)
    arm = observe(built_in().plus_arms([tiny]), sample)["arms"]["length"]
    assert all(hit["place"] == hit["place_without"] for hit in arm["hits"])


def test_other_words_for_one_thing_are_found_by_nearness_and_not_by_full_text(seen: Observed) -> None:
    hits = seen["arms"]["vector"]["hits"]
    ranks = {share["arm"]: share["rank"] for share in hits[0]["contributions"]}
    assert hits[0]["path"] == FIRST["vector"]
    assert ranks["vector"] == 1 < 3 < ranks["fts"]
    assert hits[0]["place_without"] > 1


def test_salience_leaves_out_what_it_says_although_that_is_used_most(seen: Observed) -> None:
    ranked = {row["path"] for row in seen["arms"]["salience"]["ranked"]}
    assert "notes/releases/checklist.md" in ranked
    assert not {path for path in ranked if path.startswith(("notes/tasks/", "notes/resources/people/"))}


def test_an_archived_note_is_in_no_list(seen: Observed) -> None:
    lists = [row["path"] for arm in seen["arms"].values() for row in (*arm["ranked"], *arm["hits"])]
    assert lists
    assert "notes/archive/two-copies.md" not in lists


def test_an_arms_list_counts_on_from_1_and_its_places_are_those_of_the_hits(seen: Observed) -> None:
    for arm in seen["arms"].values():
        assert [row["rank"] for row in arm["ranked"]] == list(range(1, len(arm["ranked"]) + 1))
        places = {path: hit["place"] for hit in arm["hits"] for path in (hit["path"], *hit["twins"])}
        assert [row["place"] for row in arm["ranked"]] == [places.get(row["path"]) for row in arm["ranked"]]


def test_the_contributions_to_a_hit_add_up_to_its_score(seen: Observed) -> None:
    for observed in (*seen["arms"].values(), *seen["profiles"].values()):
        for hit in observed["hits"]:
            assert hit["score"] == math.fsum(share["contribution"] for share in hit["contributions"])
            for share in hit["contributions"]:
                assert share["contribution"] == share["weight"] / (observed["rank_constant"] + share["rank"])


# ── the same everywhere ───────────────────────────────────────────────────────────────────────────────────────────────


def close_pairs(rows: Sequence[Observed], unit: str) -> list[tuple[str, str]]:
    """Neighbours whose order another machine or engine might turn round; equal texts have equal values everywhere."""
    return [
        (one["path"], other["path"])
        for one, other in itertools.pairwise(rows)
        if {one["path"], other["path"]} != {RESTORE, COPY}
        and (abs(one["raw"] - other["raw"]) < 1e-6 * (1 if "direction" in unit else abs(one["raw"])))
    ]


def test_no_two_notes_are_so_near_that_their_ranks_could_change(sample: Sample, seen: Observed) -> None:
    for name, arm in seen["arms"].items():
        if name != "recency":  # days are whole numbers
            assert not close_pairs(arm["ranked"], built_in().arms[name].raw.unit), name
    distances = fetch(
        sample.connection(),
        "SELECT min(vec_distance_cosine(a.embedding, b.embedding)) FROM vector AS a JOIN vector AS b ON a.id < b.id",
    )
    assert distances[0][0] > 0.01


def test_a_pair_that_is_too_near_is_noticed() -> None:
    rows = [{"path": "a", "raw": 0.5}, {"path": "b", "raw": 0.5000005}, {"path": "c", "raw": 0.6}]
    assert close_pairs(rows, "0 (same direction) to 2") == [("a", "b")]


def on_an_edge(values: Sequence[float]) -> list[float]:
    """Values that would be shown otherwise if their last digits were others."""
    return [value for value in values if shown(value - 2e-7) != shown(value + 2e-7)]


def test_what_is_shown_of_a_distance_is_the_same_on_another_processor(seen: Observed) -> None:
    distances = [
        share["raw"]
        for observed in itertools.chain(*(seen[kind].values() for kind in ("arms", "profiles", "adjustments")))
        for hits in ("hits", "before", "after")
        for hit in observed.get(hits, ())
        for share in hit["contributions"]
        if share["arm"] == "vector"
    ] + [row["raw"] for row in seen["arms"]["vector"]["ranked"]]
    assert len(distances) > 40
    assert not on_an_edge(distances)
    assert on_an_edge([0.12345, 0.1234]) == [0.12345], "a value on the edge of a rounding is noticed"


def test_numbers_are_shown_with_four_digits_and_moments_as_dates() -> None:
    assert [shown(value) for value in (0.0163934, -10.39803, 0.5, 1, 123456.0)] == [
        "0.01639",
        "-10.40",
        "0.5000",
        "1.000",
        "1.235e+05",
    ]
    assert shown(1779926400.0, SECONDS) == "2026-05-28"
    assert shown(1780047600.0, SECONDS) == "2026-05-29T09:40:00Z"
    assert shown(None) == ""


def test_everything_is_a_value_that_json_carries(seen: Observed) -> None:
    assert json.loads(json.dumps(seen, allow_nan=False)) == seen
    assert str(REPOSITORY) not in json.dumps(seen)


# ── plans ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def scans(plan: str) -> list[str]:
    """Lines of a plan that read every document."""
    return [line for line in plan.splitlines() if line.strip("|-` ").removeprefix("SCAN ") in ("d", "document", "s")]


def test_a_fast_form_goes_through_its_indexes_and_never_through_every_document(seen: Observed) -> None:
    fast = {name: arm["plans"]["fast"] for name, arm in seen["arms"].items() if arm["plans"]}
    assert set(fast) == {arm.name for arm in built_in().arms if arm.fast_sql}
    for name, plan in fast.items():
        assert not scans(plan), name
        assert scans(seen["arms"][name]["plans"]["plain"]), "what is looked for is there where there is no index"
    assert "USING INDEX document_dated (dated_at<?)" in fast["recency"]
    assert "USING INDEX access_popularity (popularity>?)" in fast["salience"]
    assert "USING INDEX document_updated (updated_at<?)" in fast["salience"]


def test_a_plan_is_drawn_as_the_shell_draws_it(seen: Observed) -> None:
    assert seen["arms"]["fts"]["plan"].splitlines() == [
        "QUERY PLAN",
        "|--CO-ROUTINE (subquery-1)",
        "|  |--CO-ROUTINE (subquery-2)",
        "|  |  |--SCAN document_fts VIRTUAL TABLE INDEX 0:M2",
        "|  |  |--USING ROWID SEARCH ON TABLE live FOR IN-OPERATOR",
        "|  |  |--SEARCH d USING INTEGER PRIMARY KEY (rowid=?)",
        "|  |  `--USE TEMP B-TREE FOR ORDER BY",
        "|  `--SCAN (subquery-2)",
        "`--SCAN (subquery-1)",
    ]
    assert "SEARCH v USING INTEGER PRIMARY KEY" in seen["arms"]["vector"]["plan"]


def test_the_plan_of_a_profile_holds_every_arm_and_the_fusion(seen: Observed) -> None:
    for observed in seen["profiles"].values():
        for used in observed["arms"]:
            assert f"MATERIALIZE arm_{used['arm']}" in observed["plan"]
        assert observed["plan"].endswith("\n|--USE TEMP B-TREE FOR GROUP BY\n`--USE TEMP B-TREE FOR ORDER BY")


def test_an_arms_plan_says_nothing_of_the_other_arms(sample: Sample, seen: Observed) -> None:
    more = built_in().plus_arms([replace(LENGTH, weight=1.0)])
    others = observe(more, sample)["arms"]
    assert {name: others[name]["plan"] for name in FIRST} == {name: arm["plan"] for name, arm in seen["arms"].items()}
    assert "|--MATERIALIZE candidates\n" in others["length"]["plan"]
    assert "document_fts" not in others["length"]["plan"]


# ── arms of others, and arms that cannot run ──────────────────────────────────────────────────────────────────────────


def test_an_arm_that_no_profile_uses_is_run_with_weight_1(sample: Sample) -> None:
    arm = observe(built_in().plus_arms([LENGTH]), sample)["arms"]["length"]
    assert (arm["profile"], arm["weight"], arm["fires"]) == ("documents", 1.0, True)
    assert arm["ranked"][0]["path"] == "notes/resources/people/mara.md"
    assert isinstance(arm["ranked"][0]["raw"], int)
    assert arm["plans"] == {}


def test_an_arm_that_only_another_profile_uses_is_run_under_that_one(sample: Sample) -> None:
    registries = built_in()
    default, memory = (registries.profiles[name] for name in ("documents", "memory"))
    without = replace(default, weights={**default.weights, "salience": 0.0})
    changed = replace(registries, profiles=Registry("profiles", (without, memory)))
    arm = observe(changed, sample)["arms"]["salience"]
    assert (arm["profile"], arm["weight"]) == ("memory", registries.arms["salience"].weight)
    assert arm["plan"] == arm["plans"]["fast"], "there it ranks the whole default scope"


def test_an_arm_whose_sql_fails_is_named(sample: Sample) -> None:
    broken = replace(LENGTH, sql=LENGTH.sql.replace("length(t.body)", "no_such_function(t.body)"))
    with pytest.raises(rankfold.RankfoldError, match="no_such_function") as caught:
        observe(built_in().plus_arms([broken]), sample)
    assert caught.value.__notes__ == ["while length was run on the sample corpus"]


def test_without_an_embedder_the_vector_arm_is_dropped_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec

    def find_spec(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == "tokenizers" else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    seen = observe(built_in(), build(NOTES, tmp_path, cache=tmp_path / "vectors"))
    reason = "the embedded model needs packages that are not installed: tokenizers"
    vector = seen["arms"]["vector"]
    assert (vector["fires"], vector["ranked"], vector["plan"]) == (False, [], "")
    assert [(item["arm"], item["precondition"], item["reason"]) for item in vector["dropped"]] == [
        ("vector", "query_vector", reason)
    ]
    facts = seen["sample"]
    assert (facts["embedded"], facts["share"], facts["embedder"], facts["without_vectors"]) == (0, 0.0, None, reason)
    assert seen["arms"]["fts"]["ranked"][0]["path"] == FIRST["fts"]


# ── profiles, adjustments, facts ──────────────────────────────────────────────────────────────────────────────────────


def test_every_profile_answers_the_example_of_an_arm_that_reads_the_query(seen: Observed) -> None:
    for name, observed in seen["profiles"].items():
        assert (observed["profile"], observed["query"]) == (name, built_in().arms["fts"].example)
        assert observed["hits"][0]["path"] == FIRST["fts"]
        assert len(observed["hits"]) == built_in().profiles[name].limit
    unmatched = [hit for hit in seen["profiles"]["memory"]["hits"] if not hit["matched"]]
    assert all(hit["matched"] for hit in seen["profiles"]["documents"]["hits"])
    assert not any(share["arm"] in ("fts", "vector") for hit in unmatched for share in hit["contributions"])


def test_folding_takes_one_of_two_identical_notes_out_of_the_list(seen: Observed) -> None:
    assert set(seen["adjustments"]) == {adjustment.name for adjustment in built_in().adjustments}
    folding = seen["adjustments"]["folding"]
    before, after = ([hit["path"] for hit in folding[when]] for when in ("before", "after"))
    assert before[:2] == [RESTORE, COPY]
    assert after[0] == RESTORE
    assert COPY not in after
    assert folding["after"][0]["twins"] == [COPY]
    assert folding["profile"] == "documents"
    (effect,) = folding["effects"]
    assert (effect["path"], effect["before"], effect["after"]) == (COPY, "place 2", f"folded into {RESTORE}")


def test_without_identical_notes_folding_has_nothing_to_show(tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", {"a.md": "the same note in two folders", "b.md": "another note in two folders"})
    (tmp_path / "made").mkdir()
    folding = observe(built_in(), build(notes, tmp_path / "made", embedder=None))["adjustments"]["folding"]
    assert not folding["effects"]
    assert folding["before"] == folding["after"] != []


def test_an_adjustment_that_no_profile_has_on_is_shown_under_the_default(sample: Sample) -> None:
    registries = built_in()
    plain = tuple(replace(profile, adjustments=()) for profile in registries.profiles)
    folding = observe(replace(registries, profiles=Registry("profiles", plain)), sample)["adjustments"]["folding"]
    assert folding["profile"] == "documents"
    assert folding["effects"]


def test_the_facts_of_the_sample_are_those_of_its_index(sample: Sample, seen: Observed) -> None:
    facts = seen["sample"]
    count = len(list(NOTES.rglob("*.md")))
    assert (facts["documents"], facts["chunks"], facts["embedded"], facts["share"]) == (count, count, count, 1.0)
    assert facts["embedder"].startswith("all-MiniLM-L6-v2")
    assert (facts["dimension"], facts["has_use"], facts["without_vectors"]) == (384, True, "")
    assert (facts["now"], facts["now_shown"]) == (sample.now, "2026-05-29T09:40:00Z")


def test_another_embedder_and_corpus_are_observed_the_same_way(tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", {"a.md": "# A\n\nkettle\n", "b.md": "---\ndate: 2024-05-01\n---\n\nteapot\n"})
    (tmp_path / "made").mkdir()
    observed: dict[str, Any] = observe(built_in(), build(notes, tmp_path / "made", embedder=TableEmbedder()))
    assert observed["sample"]["embedder"] == "table; dimension 8"
    assert [row["title"] for row in observed["arms"]["vector"]["ranked"]]
    assert observed["arms"]["recency"]["ranked"][0]["raw_shown"] == "2024-05-01"
    assert not observed["arms"]["salience"]["fires"]


def test_all_connections_are_closed_afterwards(tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", {"a.md": "kettle"})
    (tmp_path / "made").mkdir()
    sample = build(notes, tmp_path / "made", embedder=None)
    before = set(apsw.connections())
    observe(built_in(), sample)
    assert set(apsw.connections()) == before
