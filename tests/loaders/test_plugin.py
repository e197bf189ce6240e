"""The plugin documents any package's registries, and says what is wrong so that it can be mended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from loaders.packages import built, example, installed, package, run
from loaders.site_trees import REPOSITORY, environment, replace_in
from rankfold_loaders import live
from rankfold_loaders.faults import SiteError
from rankfold_loaders.project import Project

ROW = "{kind: kettles, description: Every kettle., records: 'kettles:KETTLES', columns: [name, litres]}"
DATACLASS = """
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Kettle:
        name: str
        litres: float
        doc: str = ""

    TALL = Kettle("tall", 1.50)
    '''A kettle for a crowd.'''

    KETTLES = [TALL, Kettle("small", 0.5, doc="A kettle for one."), Kettle(name="round", litres=1.0, doc="It rolls.")]
"""


def soup_of(site: Path, page: str) -> BeautifulSoup:
    return BeautifulSoup((site / page / "index.html").read_text(encoding="utf-8"), "html.parser")


def text_of(site: Path, page: str) -> str:
    return soup_of(site, page).get_text(" ")


def faults_of(root: Path) -> list[str]:
    """What is wrong with a project, from the configuration to the live records."""
    with pytest.raises(SiteError) as raised:
        live.read(Project.at(root))
    return [str(fault) for fault in raised.value.faults]


# The examples


@pytest.mark.parametrize("name", ["own-arm", "other-registry"])
def test_an_example_builds_strictly_checks_itself_and_passes_its_tests(name: str, tmp_path: Path) -> None:
    root = example(name, tmp_path)
    package_path = installed(root, tmp_path)
    ran = built(root, tmp_path / "site", more=(package_path,))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    # The example's own tests run its drift check, which builds its site twice and compares the bytes.
    tests = run(root, "pytest", "-q", "-p", "no:cacheprovider", more=(package_path,))
    assert tests.returncode == 0, tests.stdout + tests.stderr
    checked = run(root, "rankfold_loaders", "check", more=(package_path,))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    lines = checked.stdout.splitlines()
    assert [line.split(":")[0] for line in lines[:-1]] == [
        f"ok    {what}"
        for what in ("source", "agreement", "documented", "facts", "build", "same bytes", "pages", "links")
    ]


def test_the_tea_house_shows_what_it_is_made_of(tmp_path: Path) -> None:
    root = example("other-registry", tmp_path)
    ran = built(root, tmp_path / "site")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    teas = text_of(tmp_path / "site", "reference/teas")
    assert "1.50" in teas  # as its author wrote it
    assert "Steamed and rolled into needles" in teas  # from the string below the assignment
    assert "registered at run time" in teas  # made by a factory
    families = text_of(tmp_path / "site", "reference/families")
    assert "No tea at all, if you ask a botanist" in families
    assert "src/teahouse/families.py:" in families
    assert "--cups" in text_of(tmp_path / "site", "reference/cli/brew")
    assert "the leaves stay in it for 1.50 minutes" in " ".join(text_of(tmp_path / "site", ".").split())


def test_an_arm_of_another_package_shows_its_sql_as_written_and_as_run(tmp_path: Path) -> None:
    root = example("own-arm", tmp_path)
    ran = built(root, tmp_path / "site", more=(installed(root, tmp_path),))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    page = soup_of(tmp_path / "site", "reference/arms/titled")
    written, as_run = (block.get_text() for block in page.select(".language-sql pre code"))
    assert "FROM {scope}" in written
    assert "FROM live" in as_run
    assert "query_terms" in page.get_text()


def test_a_template_that_types_a_value_fails_the_drift_check(tmp_path: Path) -> None:
    root = example("other-registry", tmp_path)
    own = root / "templates"
    own.mkdir()
    shipped = (REPOSITORY / "site-templates/pages/registry.md.jinja").read_text(encoding="utf-8")
    (own / "registry.md.jinja").write_text(shipped, encoding="utf-8")
    replace_in(root / "mkdocs.yml", "      registries:\n", "      templates: templates\n      registries:\n")
    assert run(root, "rankfold_loaders", "check").returncode == 0
    replace_in(own / "registry.md.jinja", "{{ m.table(table) }}", '{{ m.table(table) | replace("1.50", "1.60") }}')
    ran = run(root, "rankfold_loaders", "check")
    assert ran.returncode == 1
    assert "-teas: sencha: Minutes: 1.5" in ran.stdout
    assert "+teas: sencha: Minutes: 1.6" in ran.stdout


def test_a_literal_that_is_overridden_at_import_fails_build_and_drift_check(tmp_path: Path) -> None:
    root = example("other-registry", tmp_path)
    file = root / "src/teahouse/teas.py"
    replace_in(file, "ASSAM, MINT,", "replace(ASSAM, celsius=60), MINT,")
    line = (
        file.read_text(encoding="utf-8")
        .splitlines()
        .index('ASSAM = Tea(name="assam", title="Assam", family=Family.BLACK, celsius=100, minutes=4.0, grams=2.5)')
    )
    said = f"src/teahouse/teas.py:{line + 1}: tea assam: the source says celsius=100, the live registry has 60"
    for ran in (built(root, tmp_path / "site"), run(root, "rankfold_loaders", "check")):
        assert ran.returncode == 1
        assert said in ran.stdout + ran.stderr


def test_an_installed_wheel_has_everything_that_a_site_needs(tmp_path: Path) -> None:
    root = example("other-registry", tmp_path)
    wheel = installed(REPOSITORY, tmp_path)
    # What is in the wheel comes before the checkout that this interpreter has installed.
    variables = environment(wheel, wheel, root / "src")

    def from_wheel(*words: str) -> str:
        command = [sys.executable, "-P", *words]
        ran = subprocess.run(command, cwd=root, env=variables, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    where = from_wheel("-c", "import rankfold_loaders.render as render; print(render.templates_folder())")
    assert where.strip() == str(wheel / "rankfold_loaders/site-templates")
    from_wheel("-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site"))
    assert "Steamed and rolled" in text_of(tmp_path / "site", "reference/teas")
    assert (tmp_path / "site/assets/rankfold-reference.css").is_file()


# What a record may be


RECORDS = {
    "dictionaries": ('KETTLES = [{"name": "tall", "litres": 1.5, "doc": "Tall."}]', "name"),
    "a mapping whose keys are the names": ('KETTLES = {"tall": {"litres": 1.5, "doc": "Tall."}}', "name"),
    "a named tuple": (
        "from collections import namedtuple\nKettle = namedtuple('Kettle', 'name litres doc')\n"
        "KETTLES = (Kettle('tall', 1.5, 'Tall.'),)",
        "name",
    ),
    "objects": (
        "class Kettle:\n    def __init__(self):\n        self.name, self.litres, self.doc = 'tall', 1.5, 'Tall.'\n"
        "        self._hidden = object()\nKETTLES = [Kettle()]",
        "name",
    ),
    "classes of attrs": (
        "import attrs\n@attrs.define\nclass Kettle:\n    name: str\n    litres: float\n    doc: str\n"
        "KETTLES = [Kettle('tall', 1.5, 'Tall.')]",
        "name",
    ),
    "decorated functions": (
        "KETTLES = []\ndef kettle(litres):\n    def register(made):\n        made.litres = litres\n"
        "        KETTLES.append(made)\n        return made\n    return register\n"
        "@kettle(litres=1.5)\ndef tall():\n    '''Tall.'''\n",
        "name",
    ),
    "classes": (
        "class tall:\n    '''Tall.'''\n    litres = 1.5\n    def boil(self): ...\nKETTLES = {tall}",
        "name",
    ),
    "records with a name of another kind": ('KETTLES = [{"title": "tall", "litres": 1.5, "doc": "Tall."}]', "title"),
}


@pytest.mark.parametrize("what", RECORDS)
def test_records_may_be(what: str, tmp_path: Path) -> None:
    source, name = RECORDS[what]
    row = ROW.replace("columns: [name", f"name: {name}, columns: [{name}")
    root = package(tmp_path, {"kettles.py": source}, f"registries: [{row}]")
    (record,) = live.read(Project.at(root))["registries"]["kettles"]
    assert (record["name"], record["litres"], record["doc"]) == ("tall", 1.5, "Tall.")


def test_an_enumeration_is_a_registry_with_its_documentation_and_its_lines(tmp_path: Path) -> None:
    source = """
        import enum

        class Heat(enum.Enum):
            WARM = 60
            '''For white tea.'''
            HOT = 100
            '''For black tea.'''
            BOILING = 100
    """
    row = "{kind: heats, description: How hot., records: 'heat:Heat', record: 'heat:Heat', columns: [name, value]}"
    root = package(tmp_path, {"heat.py": source}, f"registries: [{row}]")
    ran = run(root, "rankfold_loaders", "check")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "2 literals of 2 records" in ran.stdout
    ran = built(root, tmp_path / "site")
    page = text_of(tmp_path / "site", "reference/heats")
    assert "For black tea." in page
    assert "src/heat.py:7" in page


def test_records_that_stand_in_a_list_are_found_in_the_source(tmp_path: Path) -> None:
    row = ROW.replace("records:", "record: 'kettles:Kettle', records:").replace(
        "litres]", "{field: litres, show: number}]"
    )
    root = package(tmp_path, {"kettles.py": DATACLASS}, f"registries: [{row}]")
    ran = run(root, "rankfold_loaders", "check")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "8 literals of 3 records equal the live registry\n" in ran.stdout
    built(root, tmp_path / "site")
    page = text_of(tmp_path / "site", "reference/kettles")
    assert "1.50" in page
    assert "A kettle for a crowd." in page
    assert "registered at run time" not in page
    # And so a literal in a list that is not the live value is found as well.
    file = root / "src/kettles.py"
    file.write_text(file.read_text(encoding="utf-8") + "object.__setattr__(KETTLES[1], 'litres', 9.0)\n", "utf-8")
    ran = run(root, "rankfold_loaders", "check")
    assert ran.returncode == 1
    assert "kettle small: the source says litres=0.5, the live registry has 9.0" in ran.stdout


def test_an_object_never_shows_its_address_in_memory(tmp_path: Path) -> None:
    source = 'KETTLES = [{"name": "tall", "litres": object(), "doc": "Tall.", "odd": float("nan"), "made": print}]'
    root = package(tmp_path, {"kettles.py": source}, f"registries: [{ROW}]")
    (record,) = live.read(Project.at(root))["registries"]["kettles"]
    assert record["litres"] == "builtins.object"
    assert record["odd"] == "nan"
    assert record["made"] == {"function": "builtins.print"}


def test_a_field_that_only_some_records_have_is_empty_in_the_others(tmp_path: Path) -> None:
    source = 'KETTLES = [{"name": "tall", "litres": 1.5, "doc": "Tall."}, {"name": "odd", "doc": "Odd."}]'
    root = package(tmp_path, {"kettles.py": source}, f"registries: [{ROW}]")
    ran = run(root, "rankfold_loaders", "check")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    built(root, tmp_path / "site")
    assert "—" in text_of(tmp_path / "site", "reference/kettles")


# What is wrong is said with its place


WRONG = {
    "registries: []": "rankfold.registries is missing or empty; the smallest row is `- {kind: teas,",
    f"registers: [{ROW}]": "rankfold: there is no key 'registers'; did you mean 'registries'?",
    "registries: {kind: kettles}": "rankfold.registries is {'kind': 'kettles'}; it is a list",
    f"registries: [{ROW.replace('columns', 'colums')}]": (
        "rankfold.registries[kettles]: there is no key 'colums'; did you mean 'columns'?",
        "rankfold.registries[kettles]: 'columns' is missing",
    ),
    f"registries: [{ROW.replace('litres]', '{field: litres, show: nubmer}]')}]": (
        "rankfold.registries[kettles].columns[litres].show is 'nubmer'; did you mean 'number'?; it is one of name,"
    ),
    f"registries: [{ROW.replace('litres]', '{heading: Litres}]')}]": (
        "rankfold.registries[kettles].columns[Litres]: 'field' is missing"
    ),
    f"registries: [{ROW.replace('Every kettle.', '[1]')}]": (
        "rankfold.registries[kettles].description is [1]; it is text"
    ),
    f"registries: [{ROW}, {ROW}]": "rankfold.registries[kettles]: the registry has two rows",
    f"registries: [{ROW}, {ROW.replace('kind: kettles', 'kind: pots, uri: reference/kettles.md')}]": (
        "rankfold.registries[pots].uri: the page reference/kettles.md is that of registries[kettles].uri already"
    ),
    f"registries: [{ROW.replace('columns', 'uri: /kettles, columns')}]": (
        "rankfold.registries[kettles].uri is '/kettles'; it is the path of a page below the site"
    ),
    f"registries: [{ROW.replace('columns', 'each: kettle.md, columns')}]": (
        "rankfold.registries[kettles].each is 'kettle.md'; it names the record, as in reference/teas/{name}.md"
    ),
    f"registries: [{ROW.replace('[name, litres]', '[litres]')}]": (
        "rankfold.registries[kettles].columns: none shows the record's name; add 'name'"
    ),
    f"registries: [{ROW.replace('litres]', '{field: litres, show: link, to: ketles}]')}]": (
        "the column 'Litres' links to no registry: there is no 'ketles'; did you mean 'kettles'?"
    ),
    f"registries: [{ROW.replace('kettles:KETTLES', 'kettles.KETTLES')}]": (
        "rankfold.registries[kettles].records is 'kettles.KETTLES'; write it as module:name"
    ),
    f"registries: [{ROW.replace('kettles:KETTLES', 'ketles:KETTLES')}]": (
        "rankfold.registries[kettles].records is 'ketles:KETTLES': there is no module 'ketles'"
    ),
    f"registries: [{ROW.replace('kettles:KETTLES', 'kettles:KETTLS')}]": (
        "rankfold.registries[kettles].records is 'kettles:KETTLS': kettles has no 'KETTLS'; did you mean 'KETTLES'?"
    ),
    f"registries: [{ROW.replace('kettles:KETTLES', 'kettles:TALL')}]": (
        "rankfold.registries[kettles].records is 'kettles:TALL': Kettle(name='tall', litres=1.5, doc='') holds no"
    ),
    f"registries: [{ROW.replace('columns: [name', 'name: nmae, columns: [nmae')}]": (
        "record 1 of kettles:KETTLES, Kettle(name='tall', litres=1.5, doc=''), has no field 'nmae' to be called by; "
        "did you mean 'name'?; `name` says which field names a record"
    ),
    f"registries: [{ROW.replace('litres]', 'liters]')}]": (
        "the column 'Liters' shows 'liters', which no kettle has; did you mean 'litres'?"
    ),
    f"registries: [{ROW.replace('litres]', '{field: doc, show: number}]')}]": (
        "the column 'Doc' of 'small' is shown as a number, but is 'A kettle for one.'"
    ),
    f"registries: [{ROW.replace('records:', 'record: kettles:Ketle, records:')}]": (
        "there is no record class 'kettles:Ketle'; did you mean 'Kettle'?"
    ),
}


@pytest.mark.parametrize("options", WRONG, ids=lambda options: options[:60])
def test_what_is_wrong_is_said_with_file_key_and_nearest_known_key(options: str, tmp_path: Path) -> None:
    root = package(tmp_path, {"kettles.py": DATACLASS}, options)
    expected = WRONG[options]
    if "record class" in str(expected):
        said = [run(root, "rankfold_loaders", "check").stdout]
    else:
        said = faults_of(root)
        assert all(fault.startswith("mkdocs.yml: rankfold") for fault in said), said
    for part in (expected,) if isinstance(expected, str) else expected:
        assert any(part in fault for fault in said), (part, said)


def test_two_records_of_one_name_are_named(tmp_path: Path) -> None:
    source = 'KETTLES = [{"name": "tall", "litres": 1.5}, {"name": "tall", "litres": 2.5}]'
    root = package(tmp_path, {"kettles.py": source}, f"registries: [{ROW}]")
    assert "2 records are called 'tall'" in faults_of(root)[0]


def test_two_records_that_would_share_a_page_are_named(tmp_path: Path) -> None:
    row = ROW.replace("columns", "each: 'reference/{name}.md', columns")
    source = 'KETTLES = [{"name": "kettles", "litres": 1.5, "doc": "Itself."}]'
    root = package(tmp_path, {"kettles.py": source}, f"registries: [{row}]")
    ran = built(root, tmp_path / "site", "--quiet")
    assert ran.returncode == 1
    assert "the page reference/kettles.md of kettle kettles is that of Kettles already" in ran.stdout + ran.stderr


def test_an_error_inside_the_package_keeps_its_traceback(tmp_path: Path) -> None:
    root = package(tmp_path, {"kettles.py": "import nothing_of_that_name\n"}, f"registries: [{ROW}]")
    ran = built(root, tmp_path / "site", "--quiet")
    assert ran.returncode == 1
    said = ran.stdout + ran.stderr
    assert "kettles.py" in said
    assert "No module named 'nothing_of_that_name'" in said


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("raise ValueError('no water')", ["kettles.py", "ValueError: no water"]),
        ("import sys\nsys.exit(3)", ["kettles.py", "SystemExit: 3"]),
        ("KETTLES = (\n", ["kettles.py", "SyntaxError"]),
    ],
)
def test_a_package_that_cannot_be_imported_shows_its_own_lines_and_no_others(
    module: str, said: list[str], tmp_path: Path
) -> None:
    row = ROW.replace("records:", "record: 'kettles:Kettle', records:")
    (fault,) = faults_of(package(tmp_path, {"kettles.py": module}, f"registries: [{row}]"))
    for part in ["mkdocs.yml: rankfold.registries[kettles].records is 'kettles:KETTLES'", *said]:
        assert part in fault
    assert "importlib" not in fault
    assert "live.py" not in fault


def test_a_fence_in_a_docstring_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    doc = "Boil:\\n\\n```python\\nkettle.on()\\n```\\n\\nThen pour."
    source = f'KETTLES = [{{"name": "tall", "litres": 1.5, "doc": "{doc}"}}]'
    root = package(tmp_path, {"kettles.py": source}, f"registries: [{ROW}]")
    ran = run(root, "rankfold_loaders", "check")
    assert ran.returncode == 0, ran.stdout


def test_a_link_that_would_run_a_script_stops_the_build(tmp_path: Path) -> None:
    source = 'KETTLES = [{"name": "tall", "litres": 1.5, "doc": "[pour](JavaScript:alert(1))"}]'
    ran = built(package(tmp_path, {"kettles.py": source}, f"registries: [{ROW}]"), tmp_path / "site", "--quiet")
    assert ran.returncode == 1
    assert "the link 'JavaScript:alert(1)' would run as a script in the reader's browser" in ran.stdout + ran.stderr


def test_a_build_lists_every_fault_of_the_configuration(tmp_path: Path) -> None:
    row = ROW.replace("columns: [name, litres]", "colums: [name], word: two words")
    root = package(tmp_path, {"kettles.py": DATACLASS}, f"registries: [{row}]\ntitel: Kettles")
    ran = built(root, tmp_path / "site", "--quiet")
    assert ran.returncode == 1
    said = ran.stdout + ran.stderr
    for part in ("3 faults", "did you mean 'columns'?", "'columns' is missing", "did you mean 'title'?"):
        assert part in said, (part, said)


def test_a_site_without_the_plugin_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").write_text("site_name: x\nplugins: [search, rankfld]\n", encoding="utf-8")
    with pytest.raises(SiteError, match=r"there is no `rankfold` among them; did you mean 'rankfld'\?"):
        Project.at(tmp_path)


# What a configuration may look like


def test_plugins_may_be_a_mapping_and_the_file_may_inherit_and_be_called_otherwise(tmp_path: Path) -> None:
    row = ROW.replace("records:", "record: 'kettles:Kettle', records:")
    root = package(tmp_path, {"kettles.py": DATACLASS}, f"registries: [{row}]")
    (root / "mkdocs.yml").rename(root / "base.yml")
    replace_in(root / "base.yml", "  - rankfold:\n", "  search: {}\n  rankfold:\n")
    replace_in(root / "base.yml", "site_name: Kettles\n", "repo_url: !ENV [NOTHING, 'https://example.org']\n")
    (root / "site.yaml").write_text("INHERIT: base.yml\nsite_name: Kettles\nuse_directory_urls: false\n", "utf-8")
    ran = run(root, "rankfold_loaders", "check", "--root", "site.yaml")
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("nav", "order"),
    [
        ("", ["Home", "Guide", "Reference"]),
        ("nav: [index.md, guide.md]", ["Home", "Guide", "Reference"]),
        ("nav: [index.md, Everything: reference/, guide.md]", ["Home", "Everything", "Guide"]),
        ("nav: [index.md, {More: [guide.md, Everything: reference/]}]", ["Home", "More"]),
    ],
)
def test_the_pages_stand_where_the_navigation_says_else_last(nav: str, order: list[str], tmp_path: Path) -> None:
    root = package(tmp_path, {"kettles.py": DATACLASS}, f"registries: [{ROW}]", config=f"{nav}\n")
    (root / "docs/guide.md").write_text("# Guide\n", encoding="utf-8")
    ran = built(root, tmp_path / "site")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    page = soup_of(tmp_path / "site", ".")
    bar = page.select("#navbar-collapse > ul.navbar-nav:first-child > li > a")
    assert [link.get_text(strip=True) for link in bar] == order
    assert page.select('a[href="reference/kettles/"]')


def test_pages_need_no_extension_and_no_style_that_the_project_asks_for(tmp_path: Path) -> None:
    root = package(tmp_path, {"kettles.py": DATACLASS}, f"registries: [{ROW}]")
    ran = built(root, tmp_path / "site")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    page = soup_of(tmp_path / "site", "reference/kettles")
    assert page.select_one('div.rf-table[role="region"] table')
    assert page.select_one("h3#kettle-tall")
    assert page.select_one('link[href$="assets/rankfold-reference.css"]')


def test_what_a_site_demands_of_its_pages_is_its_own_choice(tmp_path: Path) -> None:
    root = package(tmp_path, {"kettles.py": DATACLASS}, f"registries: [{ROW}]")
    replace_in(root / "mkdocs.yml", ", highlightjs: false", "")
    assert built(root, tmp_path / "site").returncode == 0
    replace_in(root / "mkdocs.yml", "      registries:", "      demands: [own host]\n      registries:")
    ran = built(root, tmp_path / "site", "--quiet")
    assert ran.returncode == 1
    assert "from another host" in ran.stdout + ran.stderr


def test_a_template_of_ones_own_hides_the_shipped_one_and_is_named_when_it_is_wrong(tmp_path: Path) -> None:
    root = package(tmp_path, {"kettles.py": DATACLASS}, f"templates: look\nregistries: [{ROW}]")
    ran = built(root, tmp_path / "site", "--quiet")
    assert "rankfold.templates: there is no folder 'look'" in ran.stdout + ran.stderr
    (root / "look").mkdir()
    (root / "look/registry.md.jinja").write_text("# {{ page.title }}\n\nMade by hand, {{ count }} in all.\n", "utf-8")
    assert built(root, tmp_path / "site").returncode == 0
    assert "Made by hand, 3 in all." in text_of(tmp_path / "site", "reference/kettles")
    (root / "look/registry.md.jinja").write_text("# {{ page.titel }}\n", encoding="utf-8")
    ran = built(root, tmp_path / "site", "--quiet")
    assert ran.returncode == 1
    assert "registry.md.jinja:1" in ran.stdout + ran.stderr


def test_a_package_outside_src_is_found_where_source_says(tmp_path: Path) -> None:
    root = package(tmp_path, {"kettles.py": DATACLASS}, f"source: lib\nregistries: [{ROW}]")
    (root / "src").rename(root / "lib")
    assert len(live.read(Project.at(root))["registries"]["kettles"]) == 3


def test_links_lead_to_the_file_in_a_repository_that_holds_more_than_this_project(tmp_path: Path) -> None:
    root = package(tmp_path / "parts/kettles", {"kettles.py": DATACLASS}, f"registries: [{ROW}]")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    github = Project(root, repo_url="https://github.com/a/b/").link("src/kettles.py", 3, "main")
    assert github == "https://github.com/a/b/blob/main/parts/kettles/src/kettles.py#L3"
    gitlab = Project(root, repo_url="https://gitlab.com/a/b").link("src/kettles.py", 3, "main")
    assert gitlab == "https://gitlab.com/a/b/-/blob/main/parts/kettles/src/kettles.py#L3"


def test_a_title_is_shown_literally_in_the_menus_of_every_page(tmp_path: Path) -> None:
    hostile = "Tall {{ kettle }} [a][b] <script>alert(1)</script> & co"
    module = DATACLASS.replace("litres: float", "litres: float\n        title: str = ''")
    module = module.replace('"tall", 1.50', f'"tall", 1.50, title="{hostile}"')
    row = ROW[:-1] + ", uri: reference/kettles/index.md, each: 'reference/kettles/{name}.md'}"
    root = package(tmp_path, {"kettles.py": module}, f"registries: [{row}]")
    ran = built(root, tmp_path / "site")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for page in (".", "reference/kettles", "reference/kettles/tall"):
        soup = soup_of(tmp_path / "site", page)
        assert any(link.get_text(strip=True) == hostile for link in soup.select("#navbar-collapse a"))
        assert not soup.select("script:-soup-contains('alert(1)')")
    assert soup.title is not None
    assert hostile in soup.title.get_text()


def test_every_registry_that_cannot_be_read_is_named_and_none_is_empty_unnoticed(tmp_path: Path) -> None:
    rows = ", ".join(
        ROW.replace("kind: kettles", f"kind: {kind}").replace("kettles:KETTLES", records)
        for kind, records in [
            ("kettles", "kettles:KETTLES"),
            ("pots", "pots:POTS"),
            ("lids", "pots:LIDS"),
            ("pans", "pans:PANS"),
            ("cups", "cups:CUPS"),
        ]
    )
    modules = {"kettles.py": DATACLASS, "pots.py": "1 / 0", "pans.py": "import nothing_such", "cups.py": "CUPS = []"}
    said = faults_of(package(tmp_path, modules, f"registries: [{rows}]"))
    assert [fault.partition(".records")[0] for fault in said] == [
        f"mkdocs.yml: rankfold.registries[{kind}]" for kind in ("pots", "pans", "cups")
    ]
    assert "ZeroDivisionError" in said[0]
    assert "it holds no record" in said[2]


def test_an_entry_of_the_navigation_whose_folder_has_no_page_stops_the_build(tmp_path: Path) -> None:
    nav = "nav: [index.md, {Guides: guids/}, {Elsewhere: 'https://example.org/'}]\n"
    root = package(tmp_path, {"kettles.py": DATACLASS}, f"registries: [{ROW}]", config=nav)
    ran = built(root, tmp_path / "site", "--quiet")
    assert ran.returncode == 1
    assert "mkdocs.yml: nav: 'guids/': there is no page in this folder" in ran.stdout + ran.stderr
    (root / "docs/guids").mkdir()
    (root / "docs/guids/one.md").write_text("# One\n", encoding="utf-8")
    assert built(root, tmp_path / "site", "--quiet").returncode == 0
