"""Hybrid search in one SQLite file whose ranking you can read.

```python
import rankfold

with rankfold.open("notes.db") as notes:
    notes.index("notes/")
    for hit in notes.search("one writer many readers", limit=1):
        print(hit.path, hit.score)
```

```text
notes/wal.md 0.03359333685880487
```
"""

from __future__ import annotations

from rankfold.collection import Collection, Status, open
from rankfold.embedding import Embedder
from rankfold.errors import RankfoldError
from rankfold.indexing.sync import IndexReport
from rankfold.models import Answer, ArmUsed, Contribution, Dropped, Hit, Passage
from rankfold.records import Arm, Effect, Precondition, RawValue, Unmet

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Arm",
    "ArmUsed",
    "Collection",
    "Contribution",
    "Dropped",
    "Effect",
    "Embedder",
    "Hit",
    "IndexReport",
    "Passage",
    "Precondition",
    "RankfoldError",
    "RawValue",
    "Status",
    "Unmet",
    "open",
]
