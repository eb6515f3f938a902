# Everything here works on a fresh clone with Python >= 3.11, git >= 2.38 and make.
.DEFAULT_GOAL := help
.PHONY: help setup demo test check bench lock clean
PYTHON ?=
export PYTHON

help: ## This list.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-7s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## .venv with everything installed, and the page built.
	@python=$$(scripts/find_python) && "$$python" scripts/setup.py

demo: setup ## Four real agents in parallel on a sample repository; no key needed.
	@.venv/bin/manyhands demo $(ARGS)

test: setup ## All tests, browser included. ARGS="-k word" goes to pytest.
	@scripts/test $(ARGS)

check: setup ## Format, lint and types.
	@scripts/check

bench: setup ## Benchmarks; JSON to bench/results/.
	@.venv/bin/python -m bench $(ARGS)

lock: ## The lock files anew, from the newest versions that fit. ARGS=--keep adds what is new.
	@scripts/lock $(ARGS)

clean: ## Removes what setup and the tests made.
	rm -rf .venv web/node_modules src/manyhands/api/ui bench/results
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis dist
