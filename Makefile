# make app: start the planner. make test: run the tests. Both set everything up first.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo -n)

.PHONY: app test browser check format constraints yardstick growth clean

app: $(READY)
	$(BIN)/gai app

test: $(READY) browser
	$(BIN)/pytest

# For the browser tests: Debian's chromium, where it is missing and may be installed.
browser:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || \
	{ $(SUDO) apt-get update -qq && $(SUDO) env DEBIAN_FRONTEND=noninteractive \
	  apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	echo "NO BROWSER, and none could be installed: the browser tests will be skipped."

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Speed and results beside hand-written C; needs a C compiler.
yardstick: $(READY)
	$(BIN)/python tests/yardstick.py

# What a simulation costs against runs, arms, n_max, designs, threads and workers: docs/growth.md.
growth: $(READY)
	$(BIN)/python tests/growth.py

# Pin the newest versions that fit pyproject.toml, without download addresses.
constraints: $(READY)
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --all-extras --universal --upgrade --no-annotate --no-header -o constraints.txt

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet -c constraints.txt -e '.[app,cluster,dev]'
	$(BIN)/python -m gai_core.tools.warm_up   # compiles ahead, so that the first run does not wait
	touch $(READY)

clean:
	rm -rf .venv
