"""Folding of identical texts: one place in the list for one text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankfold.models import Hit
from rankfold.records import Adjustment, Effect


def fold_identical(hits: Sequence[Hit]) -> tuple[list[Hit], list[Effect]]:
    """Keep the best-placed of each set of documents with the same content; name the others as its twins.

    Args:
        hits: the fused hits, best first.

    Returns:
        The hits that stay, in the same order, and what was folded into what.
    """
    kept: dict[str, Hit] = {}
    effects: list[Effect] = []
    for place, hit in enumerate(hits, start=1):
        first = kept.get(hit.content_hash)
        if first is None:
            kept[hit.content_hash] = hit
            continue
        kept[hit.content_hash] = replace(first, twins=(*first.twins, hit.path))
        effects.append(
            Effect("folding", hit.path, f"place {place}", f"folded into {first.path}", "its text is identical")
        )
    return list(kept.values()), effects


FOLDING = Adjustment(
    name="folding",
    title="Folding of identical texts",
    doc="""Documents whose text is the same to the last byte take one place, that of the best of them; the hit lists
the others as `twins`. Nothing is lost: in a scope that holds only the copy, the copy is found.""",
    stage="folding",
    works_on="list",
    bounds="Removes repeats; never changes a score or the order of what stays.",
    apply=fold_identical,
    example="the same note in two folders",
    since="0.1",
)
