# Every target sets up what it needs. PYTHON names the interpreter to make the environment with.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PLAYGROUND := .cache/playground
AXE := tests/browser/node_modules/.installed

.DEFAULT_GOAL := help
.PHONY: help demo test check transcripts lockstep site serve playground system clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# Some systems ship venv without pip; then the system's pip installs into the new environment.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV) 2>/dev/null || $(PYTHON) -m venv --without-pip $(VENV)

# One stamp for each set of extras, renewed when the project's requirements change.
$(VENV)/.installed-%: pyproject.toml | $(BIN)/python
	@echo "installing rankfold[$*] into $(VENV)"
	@if [ -x $(BIN)/pip ]; then p="$(BIN)/python -m pip"; else p="$(PYTHON) -m pip --python $(BIN)/python"; fi; \
	  $$p install --quiet --disable-pip-version-check --editable ".[$*]"
	@touch $@

# What the tests need of the system: a browser, and npm for the playground's engine and the accessibility rules.
system:
	@missing=; for pair in chromium:chromium node:nodejs npm:npm git:git; do \
	  command -v "$${pair%%:*}" >/dev/null || missing="$$missing $${pair##*:}"; done; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing$$missing" && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$missing >/dev/null; \
	else echo "the tests need these programs; please install them:$$missing" >&2; exit 1; fi

$(AXE): tests/browser/package-lock.json | system
	npm ci --silent --no-fund --no-audit --prefix tests/browser && touch $@

$(PLAYGROUND)/.installed: site-templates/playground/package-lock.json | system
	mkdir -p $(PLAYGROUND) && cp $(addprefix site-templates/playground/,package.json package-lock.json .npmrc) $(PLAYGROUND)
	npm ci --silent --no-fund --no-audit --prefix $(PLAYGROUND) && touch $@

playground: $(PLAYGROUND)/.installed ## bundle the engine that the playground page runs in the browser
	@node site-templates/playground/bundle.mjs $(PLAYGROUND)

demo: $(VENV)/.installed-embed,docs ## search this project's own pages, then build its site
	@$(BIN)/python examples/demo.py

test: $(VENV)/.installed-embed,docs,dev $(AXE) playground ## run every test
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile

check: $(VENV)/.installed-embed,docs ## does the site say what the code does?
	$(BIN)/python -m rankfold_loaders check

transcripts: $(VENV)/.installed-embed,docs ## put into the pages what their commands print now
	$(BIN)/python -m rankfold_loaders.transcripts --write

lockstep: $(VENV)/.installed-embed,docs,dev ## change the source in many ways: does the site follow every time?
	$(BIN)/python -m tests.lockstep

site: $(VENV)/.installed-embed,docs playground ## build the site into site/, playground and all
	$(BIN)/mkdocs build --strict

serve: $(VENV)/.installed-embed,docs ## serve the site, and show every edit
	$(BIN)/mkdocs serve

clean: ## remove everything that make made
	rm -rf $(VENV) .demo .cache site tests/browser/node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis
