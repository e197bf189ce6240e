"""This site's MkDocs hook: it takes the loaders as they are on disk now and hands the events over to them."""

import re
import sys

from pygments.lexers.shell import BashSessionLexer

# Only `$` is a prompt here: what a command prints may begin with the `#` of a heading.
BashSessionLexer._ps1rgx = re.compile(r"^(\$ )(.*\n?)")

# MkDocs keeps imported modules for as long as it serves, and would rebuild once more for byte code in a watched folder.
sys.dont_write_bytecode = True
for _name in [name for name in sys.modules if name.partition(".")[0] == "rankfold_loaders"]:
    del sys.modules[_name]

from rankfold_loaders.mkdocs_adapter import Adapter  # noqa: E402

_adapter = Adapter()
on_startup = _adapter.on_startup
on_config = _adapter.on_config
on_files = _adapter.on_files
on_nav = _adapter.on_nav
on_env = _adapter.on_env
on_page_markdown = _adapter.on_page_markdown
on_page_context = _adapter.on_page_context
on_post_build = _adapter.on_post_build

__all__ = [
    "on_config",
    "on_env",
    "on_files",
    "on_nav",
    "on_page_context",
    "on_page_markdown",
    "on_post_build",
    "on_startup",
]
