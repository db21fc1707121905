# One command each; continuous integration runs `make check`.
# PYTHON=... chooses the interpreter, UV=... the uv to install with (UV= for none, then pip installs), NEO4J=2026 the newer
# of the two Neo4j servers for development.

PYTHON ?= python3.11
UV ?= $(shell command -v uv 2>/dev/null)
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# Tests run in as many processes as there are cores, up to four, each with one thread; -n0 has one process.
PYTEST_FLAGS ?=
NEO4J ?= 5

export PYTHON UV VENV

.PHONY: install demo test lint format types floors check clean neo4j-start neo4j-stop

install: $(INSTALLED)

$(INSTALLED): pyproject.toml constraints.txt scripts/install
	@bash scripts/install

demo: $(INSTALLED)
	@$(BIN)/python examples/demo.py

test: $(INSTALLED)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder $(PYTEST_FLAGS)

lint: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

format: $(INSTALLED)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: $(INSTALLED)
	$(BIN)/mypy

floors: $(INSTALLED)
	$(BIN)/lint-imports

check: lint types floors test

neo4j-start neo4j-stop: neo4j-%: $(INSTALLED)
	@$(BIN)/python -m tests.neo4j.control $* $(NEO4J)

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .demo
