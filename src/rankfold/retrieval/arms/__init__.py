"""The arms, one file each. This tuple is the only list of them: its order is the order everywhere."""

from __future__ import annotations

from rankfold.records import Arm
from rankfold.retrieval.arms.fts import FTS
from rankfold.retrieval.arms.recency import RECENCY
from rankfold.retrieval.arms.salience import SALIENCE
from rankfold.retrieval.arms.vector import VECTOR

ARMS: tuple[Arm, ...] = (FTS, VECTOR, RECENCY, SALIENCE)
