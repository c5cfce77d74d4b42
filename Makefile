# make demo   install into .venv, train on the corpus that ships, answer king - man + woman, compare with the PMI
# make test   install into .venv with the test extra, run every check
# make docs   build the documentation into docs/_build; needs no network but for the install
# make test-lowest, make test-newest   the tests on the oldest dependencies that setup.cfg allows, and on the newest
PYTHON ?= python3
DEMO_CORPUS ?= corpora/english-books.txt.bz2
DEMO_OPTIONS ?=
PYTEST_OPTIONS ?= -n auto

PIP_INSTALL = -m pip install --quiet --quiet --disable-pip-version-check
PACKAGE := setup.cfg pyproject.toml $(shell find w2v -type f -not -path '*/__pycache__/*')
W2V := ../.venv/bin/w2v

.PHONY: demo test docs fuzz test-lowest test-newest clean
.DELETE_ON_ERROR:

demo: demo/model.safetensors
	@echo '$$ w2v analogy king man woman'
	@cd demo && $(W2V) analogy king man woman
	@echo '$$ w2v pmi-compare'
	@cd demo && $(W2V) pmi-compare

demo/model.safetensors: .venv/.demo $(DEMO_CORPUS)
	@mkdir -p demo
	@echo '$$ w2v train $(DEMO_CORPUS)'
	@cd demo && $(W2V) train '$(abspath $(DEMO_CORPUS))' --force $(DEMO_OPTIONS)

# A regular install, as a user would have it. An old build folder would bring back modules that are gone.
.venv/.demo: $(PACKAGE)
	test -x .venv/bin/python || $(PYTHON) -m venv .venv
	rm -rf build .venv/.test
	.venv/bin/python $(PIP_INSTALL) .
	@touch $@

test: .venv/.test docs
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	NUMBA_CACHE_DIR='$(CURDIR)/.venv/numba' .venv/bin/python -m pytest $(PYTEST_OPTIONS)

# From nothing, or a warning of the last build would not come again
docs: .venv/.test
	NUMBA_CACHE_DIR='$(CURDIR)/.venv/numba' .venv/bin/python -m sphinx -W --keep-going -E -q -b html docs docs/_build
	@echo 'Built docs/_build/index.html'

# An editable install: the sources are tested as they stand. It takes the place of the demo's, and the other way round.
# What the demo compiled stays in the folder of its package, which would hide the sources.
.venv/.test: setup.cfg pyproject.toml
	test -x .venv/bin/python || $(PYTHON) -m venv .venv
	rm -rf .venv/.demo .venv/lib/python*/site-packages/w2v
	@echo 'Installing the test extra into .venv: a minute or two'
	.venv/bin/python $(PIP_INSTALL) --editable '.[test]'
	@touch $@

test-lowest: .venv-lowest/.installed
	NUMBA_CACHE_DIR='$(CURDIR)/.venv-lowest/numba' .venv-lowest/bin/python -m pytest $(PYTEST_OPTIONS)

.venv-lowest/.installed: setup.cfg pyproject.toml tests/lowest.py
	rm -rf .venv-lowest
	$(PYTHON) -m venv .venv-lowest
	$(PYTHON) tests/lowest.py setup.cfg > .venv-lowest/constraints.txt
	.venv-lowest/bin/python $(PIP_INSTALL) --constraint .venv-lowest/constraints.txt --editable '.[test]'
	@touch $@

test-newest:
	test -x .venv-newest/bin/python || $(PYTHON) -m venv .venv-newest
	.venv-newest/bin/python $(PIP_INSTALL) --upgrade --upgrade-strategy eager --editable '.[test]'
	NUMBA_CACHE_DIR='$(CURDIR)/.venv-newest/numba' .venv-newest/bin/python -m pytest $(PYTEST_OPTIONS)

# 200,000 mutated files in front of every reader, 50,000 mutated texts and settings; what breaks one is kept in
# fuzz-failures
fuzz: .venv/.test
	NUMBA_CACHE_DIR='$(CURDIR)/.venv/numba' .venv/bin/python tests/fuzz.py --kind files $(FUZZ_OPTIONS)
	NUMBA_CACHE_DIR='$(CURDIR)/.venv/numba' .venv/bin/python tests/fuzz.py --kind texts --count 50000 $(FUZZ_OPTIONS)

clean:
	rm -rf .venv .venv-lowest .venv-newest demo build dist docs/_build *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
