# make demo     a timed match between two bots over TCP, watched
# make check    lint and the fast tests: after each change
# make test     all promises: before you propose a change; TESTS= adds the thorough tests, as in continuous integration
# make lint     style, types, directions of imports
# make coverage how much of the referee, the protocol and running matches the tests reach
# make snapshots accept the sentences that the program says now, in place of those in the tests
# make bench    benchmarks           make campaign   the long forms of the tests, with fresh seeds
#
# Each makes .venv first if it is missing or if the dependencies have changed.

PYTHON ?= python3
RUN := .venv/bin/python -P
# the tests of a file share what they compile; tests/conftest.py puts long files first
SHARED_OUT := --dist loadfile --no-loadscope-reorder
# the marks of the tests that make test runs
TESTS ?= not thorough

.PHONY: demo check fast test lint coverage snapshots bench campaign clean

demo: .venv/ready
	.venv/bin/arena-server demo

check: .venv/ready
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target lint fast

fast: .venv/ready
	$(RUN) -m pytest -q $(SHARED_OUT) -n 2 -m "not slow and not thorough"

test: .venv/ready
	$(RUN) -m pytest -q $(SHARED_OUT) -n 4 --durations=8 --hypothesis-profile=repeatable -m "$(TESTS)"

lint: .venv/ready
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/lint-imports
	$(RUN) -m tests.javascript
	.venv/bin/mypy

# a tracer doubles the time of a test before Python 3.12, so it runs over the tests of the measured rooms alone
COVERING := tests/engine/wire tests/engine/test_[er]*.py tests/engine/test_clock.py tests/protocol tests/bots/test_c*.py \
  tests/server/arena tests/server/match tests/server/net tests/server/ops/test_metrics.py tests/server/league/test_console.py \
  tests/server/commands/test_process.py tests/server/commands/test_organiser_lines.py \
  $(addprefix tests/server/contest/runtime/test_,seating.py program.py)

coverage: .venv/ready
	NUMBA_DISABLE_JIT=1 $(RUN) -m pytest -q $(SHARED_OUT) -n 4 --cov --hypothesis-profile=repeatable $(COVERING)

# FILES: some of the files that compare a sentence; a test that had no sentence yet fails the first time
SENTENCES := $${FILES:-$$(git grep -l "import.* snapshot" -- tests)}

snapshots: .venv/ready
	-@$(RUN) -m pytest -q -n 0 --inline-snapshot=create,fix $(SENTENCES)
	$(RUN) -m pytest -q -n 0 $(SENTENCES)

bench: .venv/ready
	$(RUN) -m tests.bench

campaign: .venv/ready
	ARENA_CAMPAIGN=1 $(RUN) -m pytest -q $(SHARED_OUT) -n 4 --hypothesis-profile=nightly

# what is installed: a lint rule is none of it
DEPENDENCIES := import tomllib; read = tomllib.load(open("pyproject.toml", "rb")); \
  print(read["build-system"], read["project"], open("constraints.txt").read())

.venv/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed; this is " + sys.version + "; set PYTHON=")'
	@[ "$$($(PYTHON) -c '$(DEPENDENCIES)')" = "$$(cat .venv/dependencies 2> /dev/null)" ] || $(MAKE) --no-print-directory .venv/dependencies
	@touch .venv/ready

.PHONY: .venv/dependencies
.venv/dependencies:
	@echo "Setting up .venv, once: this takes a minute or two, and needs a network."
	@echo "1 of 2: making the environment, .venv"
	@rm -rf .venv && $(PYTHON) -m venv .venv
	@echo "2 of 2: installing what the arena needs"
	@{ .venv/bin/python -m pip install --disable-pip-version-check --constraint constraints.txt --editable ".[develop]"; \
	  echo $$? > .venv/status; } | sed -n -e 's/^Collecting \([^ ]*\).*/  fetching \1/p' -e 's/^Installing collected.*/  installing all of it/p'; \
	exit $$(cat .venv/status)
	@$(PYTHON) -c '$(DEPENDENCIES)' > .venv/dependencies

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage*
