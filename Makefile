# Every target does its own set-up: a virtual environment in .venv and the packages in it. Stamp files in .venv
# let a second run start at once; a change of pyproject.toml installs again.
#
#   VENV         where the environment lies
#   PYTHON       the interpreter that it is made from (3.11 to 3.13)
#   TORCH        the torch that demo and tests install, before all else, so that no other package picks a build of it
#   PYTEST_ARGS  more arguments for pytest: make test PYTEST_ARGS="-m 'not slow' -x"
#   LEARN_ARGS   more arguments for the demo's training: make demo LEARN_ARGS="steps=20 --seed 1"

VENV ?= .venv
PYTHON ?= python3
TORCH ?= torch==2.13.0
PYTEST_ARGS ?=
LEARN_ARGS ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test install lint format types validate clean

help:  ## Show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.learn  ## Install, play the hotel task three ways, then train a tiny policy (no Docker, key or GPU)
	$(BIN)/tb-envs demo
	$(BIN)/tb-bench learn configs/demo-cpu.yaml configs/models/demo.yaml $(LEARN_ARGS)

test: $(VENV)/.dev  ## Install, then run the whole test suite
	$(BIN)/python -m pytest $(PYTEST_ARGS)

install: $(VENV)/.dev  ## Install everything that development needs, with a CPU build of torch

lint: $(VENV)/.dev  ## Check style and formatting
	$(BIN)/ruff check
	$(BIN)/ruff format --check

format: $(VENV)/.dev  ## Mend what can be mended in style and formatting
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types: $(VENV)/.dev  ## Check types
	$(BIN)/pyright --pythonpath $(BIN)/python

validate: $(VENV)/.core  ## Prove every task: oracle 1, idle 0, every trap 0, twice the same final state
	$(BIN)/tb-envs validate

clean:  ## Remove the environment and all caches
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(None if (3, 11) <= v < (3, 14) else \
	    f"Python {v[0]}.{v[1]} found; thinkingbox needs 3.11 to 3.13. Name one: make PYTHON=python3.12 ...")'
	@echo "Creating $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	@echo "Installing thinkingbox into $(VENV) ..."
	@$(PIP) -e .
	@touch $@

$(VENV)/.learn: pyproject.toml | $(BIN)/python
	@echo "Installing $(TORCH) into $(VENV) ..."
	@$(PIP) "$(TORCH)"
	@echo "Installing thinkingbox with its trainer and its reports into $(VENV) ..."
	@$(PIP) -e ".[train,bench]"
	@touch $@ $(VENV)/.core

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "Installing $(TORCH) into $(VENV) ..."
	@$(PIP) "$(TORCH)"
	@echo "Installing thinkingbox with what its tests need into $(VENV) ..."
	@$(PIP) -e ".[train,bench,dev]"
	@touch $@ $(VENV)/.learn $(VENV)/.core
