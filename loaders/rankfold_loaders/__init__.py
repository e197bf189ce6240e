"""Registries become reference pages: the records that the library runs on, rendered as a site.

    registry ──► live.py ──┐
    source ────► static.py ┴─► agreement.py ──► pages.py ──► render.py ──► Markdown ──► mkdocs_adapter.py

`registries.py` is the table that says which registry becomes which page. Only `mkdocs_adapter.py` imports MkDocs, so
the same pages can be written for another site builder.
"""
