"""Which arms fire: those with a weight above zero whose preconditions all hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rankfold.constants import WEIGHT
from rankfold.errors import BadValueError
from rankfold.models import Dropped
from rankfold.records import Arm, Profile
from rankfold.retrieval.registry import Registries, is_weight
from rankfold.retrieval.situation import Situation
from rankfold.retrieval.statement import ActiveArm


def weights_of(
    registries: Registries,
    profile: Profile,
    *,
    only: Sequence[str] | None = None,
    stated: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Each arm's weight in a search, by arm name, in registry order.

    Args:
        registries: for the arms and their own weights.
        profile: its differences.
        only: arms to keep; the others get 0.0. None keeps all.
        stated: the call's own weights, which win; an arm that `only` names and the profile leaves out gets its own.

    Raises:
        UnknownNameError: an arm that is not registered.
        BadValueError: a weight that is negative or not finite.
    """
    stated = stated or {}
    for name in (*(only or ()), *stated):
        registries.arms[name]
    weights = {}
    for arm in registries.arms:
        weight = profile.weights.get(arm.name, arm.weight)
        if only is not None:
            weight = 0.0 if arm.name not in only else weight or arm.weight
        weight = stated.get(arm.name, weight)
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not is_weight(weight):
            raise BadValueError(
                f"weight of {arm.name} is {weight!r}; it is 0, or from {WEIGHT.minimum:f} to {WEIGHT.maximum:g}"
            )
        weights[arm.name] = float(weight)
    return weights


def activate(
    registries: Registries, weights: Mapping[str, float], situation: Situation
) -> tuple[list[ActiveArm], list[Dropped]]:
    """Test the preconditions of every arm that has a weight.

    Arms that read the query are asked first, because the others may depend on whether any of them fires; both lists
    are in registry order all the same.

    Returns:
        The arms that fire, and those that cannot with the first precondition that each lacks.
    """
    verdicts: dict[str, Dropped | None] = {}
    weighted = [arm for arm in registries.arms if weights[arm.name] > 0]
    for arm in weighted:
        if arm.reads == "query":
            verdicts[arm.name] = _verdict(registries, arm, situation)
    query_arms = tuple(name for name, verdict in verdicts.items() if verdict is None)
    situation = replace(situation, query_arms=query_arms)
    for arm in weighted:
        if arm.reads != "query":
            verdicts[arm.name] = _verdict(registries, arm, situation)
    active = [ActiveArm(arm, weights[arm.name]) for arm in weighted if verdicts[arm.name] is None]
    dropped = [verdict for arm in weighted if (verdict := verdicts[arm.name]) is not None]
    return active, dropped


def _verdict(registries: Registries, arm: Arm, situation: Situation) -> Dropped | None:
    for name in arm.preconditions:
        unmet = registries.preconditions[name].holds(situation)
        if unmet is not None:
            return Dropped(arm.name, name, unmet.reason, unmet.fix)
    return None
