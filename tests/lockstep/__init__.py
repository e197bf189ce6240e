"""Lockstep, proven: every fact in the source is changed, one at a time, and the site has to follow or to stop.

    mutations.py   what is changed: each field of each record, options, migrations, docstrings, columns, authored pages
    oracle.py      which pages state a fact, written by hand from what the pages are for, not from how they are made
    worker.py      one change to a copy of the project, seen by a process that has imported nothing of it
    __main__.py    `make lockstep`: all of them, two at a time, and the score

A changed record has to change every page that states it and no other page, or stop the build. A changed numeral or
name on an authored page has to stop the build; that the page itself reads differently does not count.
"""
