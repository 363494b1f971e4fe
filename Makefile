# Everything there is to run; `make help` explains it. Set PYTHON to use another interpreter.

PYTHON ?= python3
PORT ?= 8501
ARGS ?=
NEW ?=

BIN := .venv/bin
OWN_ADDRESS = $(firstword $(shell hostname -I 2>/dev/null) $(shell hostname))
RUN_READY := .venv/.ready-run
TEST_READY := .venv/.ready-test
BABEL := $(BIN)/pybabel -q
LOCALE := assets/locale
STREAMLIT := $(BIN)/python -m streamlit run app/main.py --server.port=$(PORT)

export PYTHON

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run serve test lint style bench parity messages clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(RUN_READY)  ## start the app for this machine only, at http://localhost:8501
	$(STREAMLIT) --server.address=localhost $(ARGS)

serve: $(RUN_READY)  ## start the app for a room: everyone who reaches this machine can open it
	$(STREAMLIT) --server.address=0.0.0.0 --server.headless=true \
	  --browser.serverAddress=$(OWN_ADDRESS) $(ARGS)

test: style  ## check style and types while the tests run; ARGS go to pytest
	@$(BIN)/mypy > /dev/null & types=$$!; \
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder $(ARGS); tests=$$?; \
	wait $$types || $(BIN)/mypy || tests=1; \
	exit $$tests

lint: style  ## check style and types
	$(BIN)/mypy

style: $(TEST_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

bench: $(TEST_READY)  ## measure speed, size and memory; ARGS go to the comparison with Hugging Face
	$(BIN)/python -m core bench $(ARGS)
	$(BIN)/python -m tests.benchmarks.start_page
	$(BIN)/python -m tests.benchmarks.canvas
	$(BIN)/python -m tests.benchmarks.pages
	$(BIN)/python -m tests.benchmarks.room

parity: $(RUN_READY)  ## compare numbers with Hugging Face transformers; ARGS go to the command
	$(BIN)/python -m core parity $(ARGS)

messages: $(TEST_READY)  ## gather every string that is shown, for its translation; NEW=ru begins Russian
	mkdir -p $(LOCALE)
	$(BABEL) extract -F pyproject.toml -k N_ --sort-by-file --project=Headlight -o $(LOCALE)/headlight.pot app pages
	$(if $(NEW),$(BABEL) init -D headlight -i $(LOCALE)/headlight.pot -d $(LOCALE) -l $(NEW))
	if ls $(LOCALE)/*/LC_MESSAGES/headlight.po > /dev/null 2>&1; then \
	  $(BABEL) update -D headlight -i $(LOCALE)/headlight.pot -d $(LOCALE) && \
	  $(BABEL) compile -D headlight -d $(LOCALE); \
	fi

clean:  ## remove what was built here, .venv included
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache
	find app core pages tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(RUN_READY): requirements.txt
	.ci/setup run

$(TEST_READY): requirements.txt requirements-dev.txt
	.ci/setup test
