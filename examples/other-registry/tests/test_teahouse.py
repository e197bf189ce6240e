"""The recipes are usable, and the command says what the registry holds."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from teahouse import TEAS, Family, Tea
from teahouse.cli import main


@pytest.mark.parametrize("tea", TEAS, ids=lambda tea: tea.name)
def test_a_recipe_can_be_brewed(tea: Tea) -> None:
    assert 0 < tea.celsius <= 100
    assert tea.minutes > 0
    assert tea.grams > 0
    assert tea.steeps >= 1


def test_green_leaves_are_never_boiled() -> None:
    assert all(tea.celsius <= 80 for tea in TEAS if tea.family is Family.GREEN)


def test_iced_tea_is_double_strong() -> None:
    strength = {tea.name: tea.grams for tea in TEAS}
    assert strength["iced_sencha"] == 2 * strength["sencha"]


def test_brewing_multiplies_the_leaves() -> None:
    ran = CliRunner().invoke(main, ["brew", "assam", "--cups", "2"])
    assert ran.exit_code == 0
    assert ran.output == "5 g of Assam, 100 °C, 4 minutes\n"


def test_the_list_can_be_narrowed() -> None:
    ran = CliRunner().invoke(main, ["list", "--family", "green"])
    assert [line.split()[0] for line in ran.output.splitlines()] == ["sencha", "iced_sencha"]


def test_an_unknown_tea_is_refused_with_the_known_ones() -> None:
    ran = CliRunner().invoke(main, ["brew", "coffee"])
    assert ran.exit_code == 2
    assert "sencha" in ran.output
