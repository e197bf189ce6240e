"""The families of tea: one plant, and what was done to its leaves."""

from __future__ import annotations

import enum


class Family(enum.StrEnum):
    """What was done to the leaves."""

    WHITE = "white"
    """Picked young and dried, and otherwise left alone."""

    GREEN = "green"
    """Heated soon after picking, so that the leaves stay green. Water that boils makes it bitter."""

    OOLONG = "oolong"
    """Bruised and left to darken for a while, then stopped by heat."""

    BLACK = "black"
    """Rolled and left to darken all the way. It takes boiling water, and milk."""

    HERBAL = "herbal"
    """No tea at all, if you ask a botanist."""
