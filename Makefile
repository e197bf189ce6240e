# Every target sets up what it needs. PYTHON names the interpreter to make the environment with.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PLAYGROUND := .cache/playground

.DEFAULT_GOAL := help
.PHONY: help demo test check site serve playground clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

# Some systems ship venv without pip; then the system's pip installs into the new environment.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV) 2>/dev/null || $(PYTHON) -m venv --without-pip $(VENV)

# One stamp for each set of extras, renewed when the project's requirements change.
$(VENV)/.installed-%: pyproject.toml | $(BIN)/python
	@echo "installing rankfold[$*] into $(VENV)"
	@if [ -x $(BIN)/pip ]; then p="$(BIN)/python -m pip"; else p="$(PYTHON) -m pip --python $(BIN)/python"; fi; \
	  $$p install --quiet --disable-pip-version-check --editable ".[$*]"
	@touch $@

demo: $(VENV)/.installed-embed,docs ## search this project's own pages, then build its site
	@$(BIN)/python examples/demo.py

test: $(VENV)/.installed-embed,docs,dev ## run every test
	$(BIN)/python -m pytest

check: $(VENV)/.installed-embed,docs ## does the site say what the code does?
	$(BIN)/python -m rankfold_loaders check

site: $(VENV)/.installed-embed,docs ## build the site into site/
	$(BIN)/mkdocs build --strict

serve: $(VENV)/.installed-embed,docs ## serve the site, and show every edit
	$(BIN)/mkdocs serve

playground: $(PLAYGROUND)/.installed ## bundle the engine that the playground page runs in the browser
	node site-templates/playground/bundle.mjs $(PLAYGROUND)

$(PLAYGROUND)/.installed: site-templates/playground/package-lock.json
	mkdir -p $(PLAYGROUND) && cp $(addprefix site-templates/playground/,package.json package-lock.json .npmrc) $(PLAYGROUND)
	npm ci --silent --no-fund --no-audit --prefix $(PLAYGROUND) && touch $@

clean: ## remove everything that make made
	rm -rf $(VENV) .demo site .mypy_cache .pytest_cache .ruff_cache .hypothesis
