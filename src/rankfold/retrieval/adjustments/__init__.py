"""What may happen to the fused list, one file each. This tuple is the only list of adjustments."""

from __future__ import annotations

from rankfold.records import Adjustment
from rankfold.retrieval.adjustments.folding import FOLDING

ADJUSTMENTS: tuple[Adjustment, ...] = (FOLDING,)
