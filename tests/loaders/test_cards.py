"""A card says what its page is, in the same bytes everywhere, whatever the texts hold."""

from __future__ import annotations

import hashlib
import io
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image

from rankfold_loaders.cards import HEIGHT, WIDTH, CardText, address, alt, card, cards

PAPER = (0xFD, 0xFC, 0xFA)
MOST_BYTES = 30_000
PLAIN = ("Arms", "The ranking signals, with weights and SQL.", "Reference", "rankfold")
HOSTILE = [
    "近接順",
    "שלום עולם",
    "مرحبا بالعالم",
    "😀🎉👩‍👩‍👧",
    "<script>alert(1)</script> {{ x }} \\ \x00\x1b[0m",
    "turned \u202e around",
    "lone surrogate \ud800 and \uffff and \U0010ffff",
    "a" * 5000,
    "rankfold_loaders.registries.RegistryPage." * 40,
    "word " * 2000,
    " \n\t\u2028 ",
    "",
]


def pixels(image: bytes) -> Image.Image:
    return Image.open(io.BytesIO(image)).convert("RGB")


def is_paper(image: bytes, box: tuple[int, int, int, int]) -> bool:
    return pixels(image).crop(box).getcolors() == [((box[2] - box[0]) * (box[3] - box[1]), PAPER)]


def pages(count: int) -> list[CardText]:
    return [CardText(f"reference/{number}.md", f"Page number {number}", *PLAIN[1:]) for number in range(count)]


def test_a_card_is_a_png_of_the_size_that_readers_expect() -> None:
    opened = Image.open(io.BytesIO(card(*PLAIN)))
    assert (opened.format, opened.size) == ("PNG", (1200, 630))
    assert not opened.info.keys() & {"date", "Creation Time", "Software"}


@pytest.mark.parametrize("part", range(4))
def test_every_text_is_seen_on_the_card(part: int) -> None:
    other = [*PLAIN]
    other[part] = "Something else"
    assert card(*other) != card(*PLAIN)


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_makes_a_card_that_stays_inside_its_margins(text: str) -> None:
    for image in (card(text, text, text, text), card("Arms", text, "Reference", "rankfold"), card(text, "", "", "x")):
        assert len(image) <= MOST_BYTES
        assert is_paper(image, (0, 0, 76, HEIGHT))
        assert is_paper(image, (WIDTH - 60, 0, WIDTH, HEIGHT))
        assert is_paper(image, (0, 488, WIDTH, 498)), "the text reaches the bars"


def test_a_text_at_the_edge_is_noticed() -> None:
    assert not is_paper(card(*PLAIN), (84, 160, 300, 260))


def test_crowded_cards_stay_small() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz@#&%W$"
    chance = random.Random(1)
    words = ["".join(chance.choices(letters, k=chance.randint(3, 14))) for _ in range(200)]
    for _ in range(10):
        title, description = (" ".join(chance.sample(words, count)) for count in (20, 40))
        assert len(card(title, description, "Reference", "rankfold")) <= MOST_BYTES


def test_a_title_that_is_too_long_is_cut() -> None:
    long = "a word " * 60
    assert card(long, *PLAIN[1:]) == card(f"{long} more", *PLAIN[1:])
    assert card("a word " * 5, *PLAIN[1:]) != card(f"{'a word ' * 5} more", *PLAIN[1:])


@pytest.mark.parametrize(
    ("written", "drawn"),
    [
        ("Łódź — naïve café", "Lodz - naive cafe"),
        ("cafe\u0301", "cafe"),
        ("Привет", "Privet"),
        ("fast 🎉 search", "fast search"),
        ("turned \u202earound", "turned around"),
        ("two\nlines", "two lines"),
    ],
)
def test_what_the_font_lacks_is_spelled_or_left_out(written: str, drawn: str) -> None:
    assert card(written, written, written, written) == card(drawn, drawn, drawn, drawn)


def test_the_font_draws_no_box_for_a_missing_character() -> None:
    assert card("a\uffffb", *PLAIN[1:]) == card("ab", *PLAIN[1:])
    assert card("a“b”", *PLAIN[1:]) != card("ab", *PLAIN[1:])


@pytest.mark.parametrize("title", ["😀🎉", "", "\u202e"])
def test_a_title_of_which_nothing_remains_gives_way_to_its_section(title: str) -> None:
    assert card(title, "", "Reference", "rankfold") == card("Reference", "", "", "rankfold")
    assert card(title, "", "", "rankfold") == card("rankfold", "", "", "rankfold")


def test_alternative_text_says_what_is_on_the_card() -> None:
    assert alt(*PLAIN) == "rankfold, Reference: Arms. The ranking signals, with weights and SQL."
    assert alt("Why?", "", "", "rankfold") == "rankfold: Why?"
    assert alt("近接 😀", "a\n b", "", "") == "近接 😀. a b."


def test_a_card_lies_where_its_page_does() -> None:
    assert address("reference/arms.md") == "assets/cards/reference/arms.png"
    assert [*cards([CardText("index.md", *PLAIN)])] == ["assets/cards/index.png"]


def test_cards_are_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    program = (
        f"import hashlib; from rankfold_loaders.cards import card;print(hashlib.sha256(card(*{PLAIN!r})).hexdigest())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=folder,
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed, zone, folder in (("1", "UTC", tmp_path), ("2", "Asia/Tokyo", Path(__file__).parent))
    }
    assert printed == {hashlib.sha256(card(*PLAIN)).hexdigest()}


# ── the cache ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_sixty_cards_are_fast_and_faster_the_second_time(tmp_path: Path) -> None:
    seconds = []
    for _ in range(2):
        before = time.process_time()
        drawn = cards(pages(60), tmp_path)
        seconds.append(time.process_time() - before)
    print(seconds)
    assert seconds[0] < 3
    assert seconds[1] < 0.2
    assert drawn == cards(pages(60))
    assert len([*tmp_path.iterdir()]) == 60


@pytest.mark.parametrize(
    "spoil",
    [
        lambda entry: entry[:-1],
        lambda entry: entry[:100] + b"?" + entry[101:],
        lambda _: b"",
        lambda entry: entry + b"x",
    ],
    ids=["cut", "changed", "empty", "longer"],
)
def test_a_corrupt_entry_is_drawn_again(spoil: object, tmp_path: Path) -> None:
    drawn = cards(pages(1), tmp_path)
    (entry,) = tmp_path.iterdir()
    whole = entry.read_bytes()
    assert callable(spoil)
    entry.write_bytes(spoil(whole))
    assert cards(pages(1), tmp_path) == drawn
    assert entry.read_bytes() == whole


def test_a_whole_entry_is_taken_as_it_is(tmp_path: Path) -> None:
    cards(pages(1), tmp_path)
    (entry,) = tmp_path.iterdir()
    entry.write_bytes(hashlib.sha256(b"another picture").digest() + b"another picture")
    assert cards(pages(1), tmp_path) == {"assets/cards/reference/0.png": b"another picture"}


def test_another_text_is_another_entry(tmp_path: Path) -> None:
    for part in range(4):
        texts = [*PLAIN]
        texts[part] = "Something else"
        cards([CardText("a.md", *PLAIN), CardText("b.md", *texts)], tmp_path)
    assert len([*tmp_path.iterdir()]) == 5
