"""How to brew a pot of tea."""

from teahouse.families import Family
from teahouse.teas import TEAS, Tea

__all__ = ["TEAS", "Family", "Tea"]
