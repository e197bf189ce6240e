"""Authored pages state no fact of their own: a numeral or a quoted name on them is looked up, verified or marked.

A numeral is one of these, and anything else is a fault with its line:

- looked up by name: `{{ profiles.documents.window }}`, where the sentence says in words what the name says, so that a
  look-up of something else is noticed;
- in a page that is read as it lies in the repository and cannot look up, such as a README: written with the name of its
  fact behind it, `3.11<!-- package.python -->`, and compared;
- free, with a footnote that repeats it and gives the reason: `8 KiB[^8-KiB]`. The reader sees the mark and finds the
  reason at the end of the page; a change of one without the other is noticed;
- the number of a heading or a list item, which has to follow the one before;
- in a block of code that runs (`transcripts`), whose output is compared.

A quoted name (a code span, and whatever looks like an identifier or an option) has to be in the `vocabulary` of the
project, or carries a mark like a free numeral.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence

from rankfold_loaders import markdown_text as md
from rankfold_loaders import transcripts
from rankfold_loaders.claims import IDENTIFIER, NUMERAL, STRUCTURE, Reading, blank, number_in
from rankfold_loaders.facts import FACT
from rankfold_loaders.faults import Fault
from rankfold_loaders.project import Project
from rankfold_loaders.record_texts import read_records
from rankfold_loaders.vocabulary import Named, Vocabulary, vocabulary

_MARK = re.compile(r"[*_)”\"]*(?:\s?[^\W\d]+)?[*_)”\"]*\[\^(?P<label>[^\]\s]+)\]")
"""A footnote's mark, right behind what it is about or behind the one word (a unit) after that."""
_PIN = re.compile(r"<!-- (?P<name>[\w.-]+) -->")
_DEFINED = re.compile(r"^\[\^(?P<label>[^\]\s]+)\]: +(?P<reason>.+)$", re.MULTILINE)
_FRONT = re.compile(r"\A---\n.*?^---\n", re.DOTALL | re.MULTILINE)
_NUMBERED = re.compile(r"^(?P<before> *|#+ )(?P<number>\d+)[.)] ")
_WORDS = "two three four five six seven eight nine ten eleven twelve"
_COUNTING = {word: str(number) for number, word in enumerate(_WORDS.split(), start=2)}
_COUNT = re.compile(rf"\b(?P<number>{'|'.join(_COUNTING)})[ -](?:[a-z]+ )?(?P<kind>[a-z]+)\b", re.IGNORECASE)
_PLAIN_LEAVES = {"name", "value", "count", "names", "title", "doc", "text"}
"""Last parts of a fact's name that say nothing; the part before them does."""


class Page:
    """An authored page, and what it is held against."""

    def __init__(
        self, text: str, file: str, known: Mapping[str, str], names: Vocabulary, *, looks_up: bool = True
    ) -> None:
        """Take what there is to compare.

        Args:
            text: the page with its front matter.
            file: its name, for messages.
            known: facts by name.
            names: what it may quote.
            looks_up: whether look-ups are filled in; a page that is read as it lies in the repository has none.
        """
        self.text, self.file, self.known, self.names, self.looks_up = text, file, known, names, looks_up
        self.reasons = {match["label"]: match["reason"] for match in _DEFINED.finditer(text)}
        self.own = _own_names(text)
        self.found = Reading()

    def read(self) -> Reading:
        """Every numeral and every quoted name, each with how it is held."""
        code = list(self._code())
        # In code only `{{= … }}` is filled in; what else looks like it is shown as it stands.
        inside = [range(*span) for span in code]
        look_ups = [
            match
            for match in FACT.finditer(self.text)
            if match["code"] or not any(match.start() in span for span in inside)
        ]
        prose = blank(self.text, [*self._front(), *code, *(match.span() for match in look_ups)])
        bare = blank(prose, [match.span() for match in STRUCTURE.finditer(prose)])
        running = transcripts.covered(self.text)
        for start, end in code:
            if (start, end) not in running:
                self._quoted(start, end)
        for match in NUMERAL.finditer(bare):
            self._numeral(match.group(), *match.span())
        for match in IDENTIFIER.finditer(bare):
            self._name(match.group(), *match.span())
        for match in re.finditer(r"\[\^([^\]\s]+)\](?!:)", prose):
            if match[1] not in self.reasons:
                self._fault(match.start(), f"the mark [^{match[1]}] has no reason; add a line [^{match[1]}]: why")
        for match in look_ups:
            self._look_up(match)
        self._counts(prose)
        self._order(prose)
        return self.found

    def _fault(self, at: int, message: str) -> None:
        self.found.faults.append(Fault(f"{self.file}:{self.text.count(chr(10), 0, at) + 1}", message))

    def _code(self) -> Iterator[tuple[int, int]]:
        at = 0
        for piece, is_code in md.split_code(self.text):
            if is_code:
                yield at, at + len(piece)
            at += len(piece)

    def _front(self) -> Iterator[tuple[int, int]]:
        front = _FRONT.match(self.text)
        if not front:
            return
        for line in re.finditer(r"^(?!date:|updated:).*$", front.group(), re.MULTILINE):
            for numeral in NUMERAL.findall(line.group()):
                self._fault(line.start(), f"front matter can neither look up nor mark {numeral}; say it in words")
        yield front.span()

    def _marked(self, end: int, shown: str) -> bool:
        """Whether a footnote that repeats what is shown stands behind it, with a reason."""
        mark = _MARK.match(self.text, end)
        if not mark or len(self.reasons.get(mark["label"], "").split()) < 2:
            return False
        return mark["label"] == _label(shown) or mark["label"].startswith(f"{_label(shown)}-")

    def _numeral(self, numeral: str, start: int, end: int) -> None:
        pin = None if self.looks_up else _PIN.match(self.text, end)
        if pin:
            value = self.known.get(pin["name"])
            self.found.verified += 1
            if value != numeral:
                said = "is no fact" if value is None else f"is {value}"
                self._fault(start, f"{numeral} is written, but {pin['name']} {said}")
        elif self._marked(end, numeral):
            self.found.free += 1
        else:
            advice = f"mark it as free, {numeral}[^{numeral}], with a line [^{numeral}]: and the reason"
            near = self._fact_of(numeral, start)
            if near and self.looks_up:
                advice = f"look it up, {{{{ {near} }}}}, or {advice}"
            elif near:
                advice = f"name its fact, {numeral}<!-- {near} -->, or {advice}"
            self._fault(start, f"the numeral {numeral} is typed; {advice}")

    def _fact_of(self, numeral: str, at: int) -> str:
        """The fact with that value whose name the sentence says best; empty without any."""
        context, number = _context(self.text, at), number_in(numeral)
        same = [
            name
            for name, value in self.known.items()
            if value == numeral or (number is not None and number_in(value) == number)
        ]
        return max(
            sorted(same),
            key=lambda name: sum(_said(part, context) for part in re.split(r"[._]", name)),
            default="",
        )

    def _quoted(self, start: int, end: int) -> None:
        piece = self.text[start:end]
        if piece.lstrip().startswith(("```", "~~~")):
            for match in NUMERAL.finditer(FACT.sub(lambda found: " " * len(found.group()), piece)):
                self._fault(
                    start + match.start(),
                    f"the numeral {match.group()} is typed in a block that does not run; look it up with {{{{= … }}}}, "
                    "or make the block one of `console` or `python`",
                )
            return
        inside = FACT.sub(" ", piece.strip("`")).strip()
        if inside:
            self._name(inside, start, end)

    def _name(self, name: str, start: int, end: int) -> None:
        missing = self.names.unknown(name, self.own)
        if not missing:
            self.found.verified += 1
        elif self._marked(end, name):
            self.found.free += 1
        else:
            self._fault(
                start,
                f"{', '.join(map(repr, missing))} is no name of this project; mend it, or mark it as free with "
                f"[^{_label(name)}] and a line [^{_label(name)}]: and the reason",
            )

    def _counts(self, prose: str) -> None:
        """Number words that count a registry."""
        for match in _COUNT.finditer(prose):
            fact = f"{match['kind'].lower().removesuffix('s')}s.count"
            if self.known.get(fact) == _COUNTING[match["number"].lower()]:
                self._fault(match.start(), f"{match.group()!r} counts a registry; look it up, {{{{ {fact} }}}}")

    def _order(self, prose: str) -> None:
        """Numbers of headings and list items, each one more than the one before."""
        last: dict[str, int] = {}
        at = 0
        for line in prose.splitlines(keepends=True):
            match = _NUMBERED.match(line)
            if match:
                expected = last.get(match["before"], 0) + 1
                if int(match["number"]) != expected:
                    self._fault(at, f"{match.group().strip()} should be number {expected}")
                last[match["before"]] = int(match["number"])
            if line.startswith("#") or (not match and line.strip() and not line.startswith(" ")):
                # Plain text and headings end a list; headings go on counting.
                last = {before: number for before, number in last.items() if before.startswith("#")}
            at += len(line)

    def _look_up(self, match: re.Match[str]) -> None:
        name = match["name"]
        self.found.looked_up += 1
        if not self.looks_up:
            self._fault(match.start(), f"nothing fills in {name} here: this page is read as it lies in the repository")
            return
        if name not in self.known:
            near = difflib.get_close_matches(name, self.known, n=1)
            advice = f"; did you mean {near[0]!r}?" if near else ""
            self._fault(match.start(), f"there is no fact {name!r}{advice}")
            return
        sentence, around = _context(self.text, match.start()), _context(self.text, match.start(), whole=True)
        first, *rest = name.split(".")
        default = self.known.get("default.profile") if "default" in around else None
        parts = [part for part in rest if part not in _PLAIN_LEAVES and part != default] or [first]
        silent = [part for part in parts if not _said(part, sentence if part == name.split(".")[-1] else around)]
        if silent:
            self._fault(
                match.start(),
                f"{name} is looked up where nothing says “{silent[0].replace('_', ' ')}”; say it in the sentence, or "
                "look up what the sentence is about",
            )


def _label(shown: str) -> str:
    """What a footnote's mark repeats of a numeral or a name."""
    return re.sub(r"[^\w.,:/×-]+", "-", shown).strip("-")


def _context(text: str, at: int, *, whole: bool = False) -> str:
    """What a reader takes together with a place, in lower case: its sentence; in a table its row and its column.

    The look-up at the place itself is left out, those beside it stay: a sentence may name a profile by a look-up.

    Args:
        text: the page.
        at: the place.
        whole: whether to take the paragraph instead of the sentence.
    """
    own = FACT.match(text, at)
    if own:  # without a space, which could end a sentence
        text = text[:at] + "_" * len(own.group()) + text[own.end() :]
    begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at) % (len(text) + 1)
    before, after = text.rfind("\n\n", 0, at), text.find("\n\n", at) % (len(text) + 1)
    paragraph = text[before + 2 if before >= 0 else 0 : after]
    if text.startswith("|", begin):
        cells, headings = text[begin:end].split("|"), paragraph.partition("\n")[0].split("|")
        column = text.count("|", begin, at)
        return " ".join([cells[1], *headings[column : column + 1]]).lower()
    at -= before + 2 if before >= 0 else 0
    ends = [0, *(match.end() for match in re.finditer(r"[.!?](?=\s)", paragraph) if not whole), len(paragraph)]
    return paragraph[max(place for place in ends if place <= at) : min(place for place in ends if place > at)].lower()


def _said(part: str, context: str) -> bool:
    """Whether each word of a name is among the words of a text, in whatever form."""
    stems = [word[:5] if len(word) > 4 else word.rstrip("s") for word in re.split(r"[_-]", part.lower()) if word]
    said = re.findall(r"[^\W_]+", context)
    return all(any(word.startswith(stem) for word in said) for stem in stems)


def _own_names(text: str) -> frozenset[str]:
    """What a page's own code defines and what its own commands make (it runs, so these exist), and what it defines."""
    own: set[str] = set(re.findall(r"<dfn id=\"([^\"]+)\"", text))
    for step in transcripts.steps(text):
        if step.language == "python" and not step.reason:
            with contextlib.suppress(SyntaxError):
                for node in ast.walk(ast.parse(step.typed)):
                    if isinstance(node, ast.Constant) and isinstance(node.value, str):
                        own.add(node.value)
                    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                        own.add(node.id)
        for word in re.findall(r"[\w.][\w./-]*", f"{step.typed}\n{step.shown}"):
            if "/" in word or word.startswith("."):
                own |= {word, word.rstrip("/.")}
    return frozenset(own)


def read_pages(project: Project, known: Mapping[str, str], entries: Mapping[str, Sequence[Named]]) -> Reading:
    """Every authored page of a project, and the texts of its records.

    Args:
        project: whose pages.
        known: facts by name.
        entries: its registries.
    """
    whole = Reading()
    names = vocabulary(project, entries)
    for file in transcripts.pages(project.root):
        text = file.read_text(encoding="utf-8")
        name = file.relative_to(project.root).as_posix()
        found = Page(text, name, known, names, looks_up=name.startswith("docs/")).read()
        _add(whole, found)
    _add(whole, read_records(project, entries, names))
    return whole


def _add(whole: Reading, found: Reading) -> None:
    whole.faults += found.faults
    whole.looked_up += found.looked_up
    whole.verified += found.verified
    whole.free += found.free
