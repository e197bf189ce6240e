"""The teas. `TEAS` is the only list of them: its order is the order everywhere."""

from __future__ import annotations

from dataclasses import dataclass, replace

from teahouse.families import Family


@dataclass(frozen=True, kw_only=True)
class Tea:
    """A tea, and how a cup of it is brewed."""

    name: str
    """What it is called on the command line."""
    title: str
    """What it is called on a menu."""
    family: Family
    """What was done to its leaves."""
    celsius: int
    """How hot the water is, in degrees."""
    minutes: float
    """How long the leaves stay in it."""
    grams: float
    """How much leaf a cup takes."""
    steeps: int = 1
    """How often the same leaves can be used."""
    doc: str = ""
    """Its documentation, where no string stands below its assignment. Markdown."""


SILVER_NEEDLE = Tea(
    name="silver_needle", title="Silver Needle", family=Family.WHITE, celsius=75, minutes=4.0, grams=2.5, steeps=3
)
"""Buds only, picked on a few dry days in spring. Patience is most of the recipe: it tastes of little, then of melon."""

SENCHA = Tea(name="sencha", title="Sencha", family=Family.GREEN, celsius=70, minutes=1.50, grams=2.0, steeps=2)
"""Steamed and rolled into needles. The second cup wants only half the time, because the leaves are open by then."""

IRON_GODDESS = Tea(
    name="iron_goddess", title="Iron Goddess", family=Family.OOLONG, celsius=95, minutes=2.0, grams=3.0, steeps=5
)
"""Rolled into beads that unfold in the cup. It is at its best in the third steep, which is why nobody stops at two."""

ASSAM = Tea(name="assam", title="Assam", family=Family.BLACK, celsius=100, minutes=4.0, grams=2.5)
"""Malty and strong. It is the tea that milk was meant for, and the one to take when you have to get up early."""

MINT = Tea(name="mint", title="Mint", family=Family.HERBAL, celsius=100, minutes=6.0, grams=1.5)
"""Leaves from the garden, as many as fit. It forgives everything, also being forgotten on the table."""


def iced(tea: Tea) -> Tea:
    """The same tea for a hot day: brewed double strong, because the ice thins it."""
    return replace(
        tea,
        name=f"iced_{tea.name}",
        title=f"Iced {tea.title}",
        grams=2 * tea.grams,
        steeps=1,
        doc=f"`{tea.name}` brewed double strong and poured over ice.",
    )


TEAS: tuple[Tea, ...] = (SILVER_NEEDLE, SENCHA, IRON_GODDESS, ASSAM, MINT, iced(SENCHA))
