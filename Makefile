# make demo     a timed match between two bots over TCP, watched
# make test     all tests          make fast   those that take seconds
# make lint     style, types, directions of imports
# make bench    figures            make campaign   the long forms of the tests
#
# Each builds .venv first, when it is missing or older than what it is made from.

PYTHON ?= python3
RUN := .venv/bin/python -P
# a file's tests share what they compile, those of pages two browsers; tests/conftest.py puts long files first. To find
# the tests takes each process some seconds, and quick ones wait for little: three do for them
SHARED_OUT := -n 4 --dist loadfile --no-loadscope-reorder

.PHONY: demo test fast lint bench campaign clean

demo: .venv/ready
	.venv/bin/arena-server demo

test: .venv/ready
	$(RUN) -m pytest -q $(SHARED_OUT) --durations=8

fast: .venv/ready
	$(RUN) -m pytest -q $(SHARED_OUT) -n 3 -m "not slow"

lint: .venv/ready
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/lint-imports
	$(RUN) -m tests.javascript
	.venv/bin/mypy

bench: .venv/ready
	$(RUN) -m tests.bench

campaign: .venv/ready
	ARENA_CAMPAIGN=1 $(RUN) -m pytest -q $(SHARED_OUT) -o faulthandler_timeout=14400

.venv/ready: pyproject.toml constraints.txt
	@echo "Setting up .venv, once: this takes a minute or two, and needs a network."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed; this is " + sys.version + "; set PYTHON=")'
	@echo "1 of 2: making the environment, .venv"
	@rm -rf .venv && $(PYTHON) -m venv .venv
	@echo "2 of 2: installing what the arena needs"
	@{ .venv/bin/python -m pip install --disable-pip-version-check --constraint constraints.txt --editable ".[develop]"; \
	  echo $$? > .venv/status; } | sed -n -e 's/^Collecting \([^ ]*\).*/  fetching \1/p' -e 's/^Installing collected.*/  installing all of it/p'; \
	exit $$(cat .venv/status)
	@touch .venv/ready

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
