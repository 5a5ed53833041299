# The main targets are `make demo` and `make test`.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/pip --disable-pip-version-check install -q --no-deps
CORES := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
# One process of tests more than there are cores: some of them always wait, for a browser, a worker or a disk.
PROCESSES := $(shell expr $(CORES) + 1)

# The tests say at their end how long all of it took.
STARTED := $(shell date +%s)
# Hundreds of processes start in the tests: from compiled modules each takes a third of the time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: audit demo serve test ready test-thorough coverage test-long test-fast test-shuffled test-hostile test-compilers test-faults bare fuzz judge lint types warm messages sbom release site lock clean nightly

demo: .venv/app
	$(BIN)/moss demo

serve: .venv/app
	$(BIN)/moss serve

# Lint and type-check first, because that is quick; then run the tests, the browser tests included.
test: ready
	TESTS_STARTED=$(STARTED) $(BIN)/pytest -n $(PROCESSES) --dist=worksteal -m "not hostile and not long" --hypothesis-profile=some

ready: .venv/dev
	$(MAKE) --jobs=$(CORES) lint types warm

# Run the tests that take longest: they start whole installations, load a server or walk through many pages.
test-long: warm
	$(BIN)/pytest -n $(CORES) --dist=worksteal -m long --hypothesis-profile=some

# The tests of both with all examples of each property, and then the two longer runs below.
test-thorough: ready
	$(BIN)/pytest -n $(CORES) --dist=worksteal -m "not hostile"
	$(MAKE) test-hostile
	$(MAKE) test-faults

# The tests of both with the lines and branches that they run, in artifacts/coverage; takes half as long again.
coverage: warm
	$(BIN)/pytest -n $(CORES) --dist=worksteal -m "not hostile" --hypothesis-profile=some --cov --cov-report=term:skip-covered --cov-report=html:artifacts/coverage

# Run the quick tests that need neither services nor a browser; takes less than a minute on two cores.
test-fast: warm
	$(BIN)/pytest -n $(CORES) --dist=worksteal -m "not services and not slow and not long and not hostile" --hypothesis-profile=few

# Run the tests of `make test` in another order, for each seed in one of its own: a test that fails there needs another one.
test-shuffled: warm
	TESTS_STARTED=$(STARTED) $(BIN)/pytest -n $(CORES) --dist=worksteal -m "not hostile and not long" --hypothesis-profile=few --shuffle=$(SEED)
SEED ?= 1

# Ask the compilers and interpreters that are installed whether the constructs of each language are ones;
# `make test-long` asks them too.
test-compilers: .venv/dev
	$(BIN)/pytest -n $(CORES) --dist=worksteal -m long tests/compilers

# Upload all of the hostile files of tests/hostile; `make test-long` uploads one of each kind.
test-hostile: warm
	$(BIN)/pytest -n $(CORES) --dist=worksteal -m hostile -rP --show-capture=stdout tests/hostile

# Kill, stop, fill and empty parts of a running server at work, during each kind of work, five times; `python -m tests.faults.run` for more.
test-faults: warm
	$(BIN)/python -m tests.faults.run --seeds 5

# Try the README, docs/start, the tests, the packages and the image in a bare Debian 12 and 13; as root, with debootstrap.
bare:
	.ci/bare bookworm
	.ci/bare trixie

# Change the bytes of archives, layouts, rosters, sessions of MOSS clients and LTI tokens until one breaks its reader; ten minutes.
fuzz: .venv/dev
	$(BIN)/python -m tests.fuzz.run --seconds 120

# Count again, in what can be exported, what the service states of each class below FOLDER: FOLDER/.../files/CLASS/SUBMISSION.
judge: warm
	FOLDER=$(FOLDER) $(BIN)/pytest -n $(CORES) tests/tools/judged_classes.py

# What is too long for every change, with all examples of each property: run it each night, and before a release.
nightly: test-thorough fuzz

lint: .venv/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	@if [ -x $(BIN)/biome ]; then set -x; $(BIN)/biome lint --error-on-warnings; \
	else echo "The JavaScript was not linted: Biome is not built for this platform."; fi

types: .venv/dev
	$(BIN)/mypy manage.py moss submissions fingerprint tests bench

# Compile the engine once, in all cores, before several processes wait for it.
warm: .venv/dev
	$(BIN)/python -m moss.compiling

# Write the list of the packages that the service consists of, in the format of CycloneDX.
sbom: .venv/dev
	mkdir -p artifacts
	$(BIN)/cyclonedx-py requirements requirements.lock --output-reproducible --of JSON -o artifacts/sbom.json

# Ask the databases of known faults about every locked package; needs a network.
audit:
	@$(PYTHON) -c 'import urllib.request as r; r.urlopen("https://pypi.org/pypi/pip/json", timeout=30).close()' 2>/dev/null \
	|| { echo "Nothing was audited: https://pypi.org does not answer here."; exit 1; }
	test -x .venv/audit/bin/pip-audit || { $(PYTHON) -m venv .venv/audit && .venv/audit/bin/pip install -q pip-audit; }
	set -e; for lock in requirements*.lock; do .venv/audit/bin/pip-audit --strict --disable-pip -r $$lock; done
	npm audit --prefix tests/support/oidc --package-lock-only

# Build the source distribution and the wheel twice, compare their bytes, and write them to dist/ with the list of
# packages and checksums, signed if KEY names a private key of SSH. The changelog has to date the version; nothing is
# published.
release: sbom
	$(BIN)/python -m tests.tools.release

# Write the documents as a web site; fails on a link to a document or heading that is not there.
site: .venv/site/made
	NO_MKDOCS_2_WARNING=1 .venv/site/bin/mkdocs build --strict

# Collect the texts of the pages into the .po files, and compile those; needs GNU gettext (Debian: gettext).
messages: .venv/dev
	$(BIN)/python manage.py makemessages --all
	$(BIN)/python manage.py compilemessages --ignore=.venv

# make bench-speed runs bench/speed.py, and so on.
bench-%: .venv/dev
	$(BIN)/python -m bench.$*

lock: .venv/dev
	$(BIN)/pip install -q uv
	$(BIN)/uv pip compile -q $(LOCK) --extra pdf --extra saml pyproject.toml -o requirements-server.lock
	$(BIN)/uv pip compile -q $(LOCK) --extra compiler --extra embedded --extra pdf pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q $(LOCK) $(LEFT_OUT) --all-extras --group dev pyproject.toml -o requirements-dev.lock
	$(BIN)/uv pip compile -q $(LOCK) --group docs -o requirements-docs.lock
LOCK := --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header
# cyclonedx-bom wants rfc3987-syntax to check addresses of which the list has none. Where it is installed, jsonschema,
# which nbformat loads, compiles its 38 grammars in every process that reads files, in three seconds.
UNUSED := rfc3987-syntax lark arrow fqdn isoduration jsonpointer rfc3339-validator rfc3986-validator uri-template webcolors
LEFT_OUT := $(foreach package,$(UNUSED),--no-emit-package $(package))

clean:
	rm -rf .venv .moss artifacts build dist *.egg-info .coverage .coverage.* .mypy_cache .ruff_cache .hypothesis
	rm -rf fingerprint/kernels/compiled
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/made:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed. Name one: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	touch $@

# The development lock file includes the application's, so a development install can also run the app.
.venv/dev: .venv/made requirements-dev.lock pyproject.toml
	$(PIP) --require-hashes -r requirements-dev.lock
	$(PIP) -e .
	touch $@ .venv/app

.venv/app: .venv/made requirements.lock pyproject.toml
	$(PIP) --require-hashes -r requirements.lock
	$(PIP) -e .
	touch $@

# An environment of its own: neither the service nor its tests need what writes the site.
.venv/site/made: .venv/made requirements-docs.lock
	$(PYTHON) -m venv .venv/site
	.venv/site/bin/pip --disable-pip-version-check install -q --no-deps --require-hashes -r requirements-docs.lock
	touch $@

# The provider of npm that sign-in is tested with; without it, those tests are skipped.
.venv/oidc/made: .venv/made tests/support/oidc/package-lock.json
	mkdir -p .venv/oidc
	cp tests/support/oidc/package.json tests/support/oidc/package-lock.json .venv/oidc
	npm ci --prefix .venv/oidc --ignore-scripts --no-audit --no-fund
	touch $@
