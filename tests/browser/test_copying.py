"""What the copy button of a code block takes."""

from __future__ import annotations

from playwright.sync_api import Page

from browser.served_site import ServedSite

COPIED = """() => [...document.querySelectorAll('code')].filter(code => code.querySelector('.gp')).map(code => {
  code.setAttribute('data-md-copying', '')
  const text = code.innerText
  code.removeAttribute('data-md-copying')
  return [code.innerText, text]
})"""
"""As the theme does it: the attribute stands there while the text is read."""


def test_of_a_session_only_what_was_typed_is_copied(site: ServedSite, desk: Page) -> None:
    desk.goto(site.url("tutorial/"))
    blocks = desk.evaluate(COPIED)
    assert len(blocks) > 3
    for shown, copied in blocks:
        typed = [line.removeprefix("$ ") for line in shown.splitlines() if line.startswith("$ ")]
        assert [line.strip() for line in copied.splitlines() if line.strip()] == [line.strip() for line in typed]
