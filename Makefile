# make app: start the planner. make test: run the tests. Each sets up what it needs first.
PYTHON ?= python3
BIN := .venv/bin
# Python keeps what it made of a module's text: without, every start takes seconds longer.
export PYTHONDONTWRITEBYTECODE :=
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo -n)

# uv where it is there, else pip; Python compiles a module when it is first imported.
ifneq ($(shell command -v uv 2>/dev/null),)
ENVIRONMENT := uv venv --quiet --seed --allow-existing --python $(PYTHON) .venv
INSTALL := uv pip install --python $(BIN)/python
else
ENVIRONMENT := $(PYTHON) -m venv .venv
INSTALL := $(BIN)/pip install --no-compile --prefer-binary
endif

# What each needs of pyproject.toml's extras; .venv/ready-NAME says that it is there.
extras-app := app
extras-test := app,cluster,dev
extras-docs := docs
APP := $(or $(wildcard .venv/ready-test),.venv/ready-app)
TEST := .venv/ready-test
DOCS := .venv/ready-docs

.PHONY: app test coverage browser check format docs figures readme-figures fresh-seeds constraints yardstick growth load clean

# The app compiles ahead by itself, in the background.
app: $(APP)
	$(BIN)/gai app

test: $(TEST) browser
	$(BIN)/pytest

# Lines and branches that the tests run, in every process, room by room.
coverage: $(TEST) browser
	$(BIN)/pytest --cov --cov-report=
	@for door in gai_core/*/__init__.py app/gai_app/__init__.py; do room=$$(dirname $$door); \
	  printf '%-20s %s%%\n' $$room "$$($(BIN)/coverage report --format=total --include="$$room/*")"; done
	@$(BIN)/coverage report --show-missing --skip-covered >.coverage-lines.txt
	@tail -1 .coverage-lines.txt; echo "The lines that no test runs: .coverage-lines.txt"

# For the browser tests: Debian's chromium, where it is missing and may be installed; the one without
# a window where there is such a package.
browser:
	@command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || \
	command -v google-chrome >/dev/null || \
	{ $(SUDO) apt-get update -qq && for name in chromium-headless-shell chromium; do \
	  $(SUDO) env DEBIAN_FRONTEND=noninteractive \
	  apt-get install -y -qq --no-install-recommends $$name >/dev/null && break; done; } || \
	echo "NO BROWSER, and none could be installed: the browser tests will be skipped."

check: $(TEST)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(TEST)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The user guide and the API reference as a static site: site/index.html.
docs: $(DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "site/index.html"

# What commands print on the pages of docs/, their figures and the notebook, written anew.
figures: $(TEST)
	$(BIN)/python tests/pages.py

# README's figures beside those of whole runs; the tests compute them with fewer trials.
readme-figures: $(TEST)
	$(BIN)/python tests/readme.py

# Designs found for ten shipped studies, judged on trials that no search has seen.
fresh-seeds: $(TEST)
	$(BIN)/python tests/fresh_seeds.py

# Speed and results beside hand-written C; needs a C compiler.
yardstick: $(TEST)
	$(BIN)/python tests/yardstick.py

# What a simulation costs against runs, arms, n_max, designs, threads and workers: docs/growth.md.
growth: $(TEST)
	$(BIN)/python tests/growth.py

# How long one visitor waits in a browser, beside a bare page; then twenty people at once: who gets
# results, when, how long others wait, how much memory it takes.
load: $(TEST) browser
	$(BIN)/python tests/speed_app.py
	$(BIN)/python tests/load.py

# Pin the newest versions that fit pyproject.toml, without download addresses.
constraints: $(TEST)
	$(INSTALL) --quiet uv
	$(BIN)/uv pip compile pyproject.toml --all-extras --universal --upgrade --no-annotate --no-header -o constraints.txt

.venv/ready-%: pyproject.toml constraints.txt
	@echo "Setting up .venv for make $*."
	$(ENVIRONMENT)
	$(INSTALL) -c constraints.txt -e '.[$(extras-$*)]'
	touch $@

clean:
	rm -rf .venv site
