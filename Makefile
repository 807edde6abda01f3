# Needs git, make and Python 3.11 or newer; everything else is installed into .venv from constraints.txt.
PYTHON ?= python3
WORKERS ?= auto

VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench
BARE := .venv-bare
PIP := -m pip --disable-pip-version-check

.DEFAULT_GOAL := check
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: check help try test stats coverage docs lint format format-check types mypy pyright bench bare clean

check: format-check lint types test  ## format check, lint, types, tests (the default)

help:  ## list these words
	@grep -E '^[a-z-]+:.*  ## ' Makefile | sed -E 's/^([a-z-]+):.*  ## (.*)/  make \1\t\2/' | expand -t 22

try: $(VENV)/.installed  ## install discreet into .venv and run its demonstration
	$(BIN)/discreet demo

test: $(VENV)/.dev  ## the test-suite, with the examples in docstrings, README and docs
	@scripts/postgres
	@scripts/java
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

stats: $(VENV)/.dev  ## the long statistical runs
	@scripts/postgres
	@scripts/java
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m stats

coverage: $(VENV)/.dev  ## the test-suite, with the branches it did not take
	@scripts/postgres
	@scripts/java
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --cov --cov-report=term-missing

docs: $(VENV)/.dev  ## only the checks of README and docs
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup tests/house/test_docs.py tests/house/test_blocks.py tests/house/test_words.py

lint: $(VENV)/.dev  ## nearly all rules of ruff
	$(BIN)/ruff check .

format: $(VENV)/.dev  ## rewrite the code in the house's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

format-check: $(VENV)/.dev  ## fail where `make format` would change a file
	$(BIN)/ruff format --check .

types: mypy pyright  ## mypy and pyright, both strict

mypy pyright: $(VENV)/.dev
	$(BIN)/$@

bench: $(BENCH)/.installed  ## ratios against peers, in an environment of their own
	$(BENCH)/bin/python -m benchmarks

bare:  ## import and command line in a fresh environment with required packages only
	rm -rf $(BARE)
	$(PYTHON) -m venv $(BARE)
	$(BARE)/bin/python $(PIP) install --quiet --constraint constraints.txt .
	$(BARE)/bin/python $(PIP) check
	cd $(BARE) && bin/python -W error -c 'import discreet'
	cd $(BARE) && bin/discreet --help >/dev/null
	cd $(BARE) && bin/discreet demo

clean:  ## remove what the other words made
	rm -rf $(VENV) $(BENCH) $(BARE) build dist .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "discreet needs Python 3.11 or newer; try make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.python pyproject.toml constraints.txt
	$(BIN)/python $(PIP) install --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.installed
	$(BIN)/python $(PIP) install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

$(BENCH)/.installed: pyproject.toml constraints.txt benchmarks/requirements.txt
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python $(PIP) install --quiet --requirement benchmarks/requirements.txt --editable .
	@touch $@
