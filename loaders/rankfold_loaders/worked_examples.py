"""What was observed on the sample corpus, as tables and figures of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankfold_loaders import figures
from rankfold_loaders import markdown_text as md
from rankfold_loaders.page_model import Table
from rankfold_loaders.pages import NOTHING, Maker

LONGEST = 10
"""Rows of a ranked list that a page shows."""


@dataclass(frozen=True)
class Example:
    """One search on the sample corpus."""

    query: str
    profile: str
    """Link to the profile that it was run under."""
    form: str
    """The form of the MATCH text; empty where full text was not asked."""
    fused: Table
    figure: str
    """The scores as stacked contributions, as HTML; empty without a hit."""
    dropped: tuple[str, ...] = ()
    """Per arm that could not run, why."""
    ranked: Table | None = None
    """The list of one arm alone."""
    more: int = 0
    """How many documents that arm ranked beyond those shown."""
    weight: float = 0.0
    plan: str = ""
    plans: tuple[tuple[str, str], ...] = ()
    """Captions and plans of an arm that has two forms."""
    effects: tuple[str, ...] = ()
    """What an adjustment did."""


def of_arm(maker: Maker, arm: str) -> Example | None:
    """The arm's example; None where no sample is observed."""
    seen = _observed(maker, "arms", arm)
    if seen is None:
        return None
    record = maker.joined.entry("arms", arm)
    raw = record.value("raw")
    unit = f" ({raw['unit']})" if raw["unit"] not in ("none", "seconds since 1970-01-01 UTC") else ""
    rows = tuple(
        (
            str(item["rank"]),
            _document(item),
            md.escape(item["raw_shown"]),
            md.escape(item["contribution_shown"]),
            str(item["place"]) if item["place"] else NOTHING,
        )
        for item in seen["ranked"][:LONGEST]
    )
    headings = ("Rank", "Document", md.escape(raw["name"] + unit), "Contribution", "Place in the answer")
    table = Table(f"What the arm {arm} ranks for its example", "ranked", headings, rows, frozenset({0, 2, 3, 4}))
    captions = {"fast": "Fast form", "plain": "As written"}
    return _example(
        maker,
        seen,
        f"example-{arm}",
        ranked=table,
        more=max(0, len(seen["ranked"]) - LONGEST),
        weight=seen["weight"],
        plan=seen["plan"],
        plans=tuple((captions[form], plan) for form, plan in seen["plans"].items()),
    )


def of_profile(maker: Maker, profile: str) -> Example | None:
    """What the profile makes of a query; None where no sample is observed."""
    seen = _observed(maker, "profiles", profile)
    return None if seen is None else _example(maker, seen, f"example-{profile}", plan=seen["plan"])


def of_adjustment(maker: Maker, adjustment: str) -> Example | None:
    """The adjustment's example, with what it did; None where no sample is observed."""
    seen = _observed(maker, "adjustments", adjustment)
    if seen is None:
        return None
    effects = tuple(
        f"{md.code(effect['path'])}: {md.escape(effect['before'])}, now {md.escape(effect['after'])}, "
        f"since {md.escape(effect['reason'])}"
        for effect in seen["effects"]
    )
    return _example(maker, {**seen, "hits": seen["after"]}, f"example-{adjustment}", effects=effects)


def sample(maker: Maker) -> Mapping[str, Any] | None:
    """What the sample corpus holds; None where no sample is observed."""
    observed: Mapping[str, Any] | None = maker.joined.live["search"].get("observed")
    return observed["sample"] if observed else None


def _observed(maker: Maker, kind: str, name: str) -> Mapping[str, Any] | None:
    observed: Mapping[str, Any] = maker.joined.live["search"].get("observed") or {}
    seen: Mapping[str, Any] | None = observed.get(kind, {}).get(name)
    return seen


def _example(maker: Maker, seen: Mapping[str, Any], prefix: str, **more: Any) -> Example:
    arms = [used["arm"] for used in seen["arms"]]
    hits = seen["hits"]
    shares = [
        (hit["title"] or hit["path"], {share["arm"]: share["contribution"] for share in hit["contributions"]})
        for hit in hits[:LONGEST]
    ]
    known = [entry.name for entry in maker.joined.entries.get("arms", ())]
    return Example(
        query=md.code(seen["query"]),
        profile=maker.link("profiles", seen["profile"]),
        form=seen["query_form"] or "",
        fused=_fused(maker, hits, arms),
        figure=figures.stacked(shares, [name for name in known if name in arms], prefix=prefix).html if shares else "",
        dropped=tuple(
            f"{maker.link('arms', item['arm'])}, since {md.escape(item['reason'])}" for item in seen["dropped"]
        ),
        **more,
    )


def _fused(maker: Maker, hits: Sequence[Mapping[str, Any]], arms: Sequence[str]) -> Table:
    """The fused list: per hit its score, and per arm rank and contribution."""
    rows = []
    for hit in hits[:LONGEST]:
        shares = {share["arm"]: share for share in hit["contributions"]}
        cells = [
            f"{shares[arm]['rank']} → {shares[arm]['contribution_shown']}" if arm in shares else NOTHING for arm in arms
        ]
        rows.append((str(hit["place"]), _document(hit), md.escape(hit["score_shown"]), *cells))
    headings = ("Place", "Document", "Score", *(maker.link("arms", arm) for arm in arms))
    return Table("The fused list", "fused", headings, tuple(rows), frozenset({0, *range(2, 3 + len(arms))}))


def _document(item: Mapping[str, Any]) -> str:
    return md.escape(item["title"] or item["path"])
