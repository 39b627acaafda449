# Everything runs in .venv, made with $(PYTHON).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# `make test BROWSER=no` leaves out what needs Chromium.
BROWSER ?= yes

.PHONY: demo test test-browser check format bench bugs accuracy docs pictures arch-history site clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	$(BIN)/python -m compileall -q src  # as pip does with what it copies
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

demo: $(VENV)/.installed
	$(BIN)/codepath reach set_global_expert_location_metadata --source sglang==0.5.9

check: $(VENV)/.installed-dev
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codepath check -q
	$(BIN)/codepath rule test -q

ifeq ($(BROWSER),no)
test: check
	@echo "BROWSER=no: no page was opened in a browser, no Mermaid text read by Mermaid."
else
test: check test-browser
endif
	$(BIN)/pytest -m 'not browser'

test-browser: $(VENV)/.installed-dev
	tests/tools/install_browser.sh
	CODEPATH_BROWSER=required $(BIN)/pytest -m browser tests/browser

format: $(VENV)/.installed-dev
	$(BIN)/ruff format src tests benchmarks examples
	$(BIN)/ruff check --fix src tests benchmarks examples

bench: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/run.py

bugs: $(VENV)/.installed
	$(BIN)/python benchmarks/bugs.py --codepath $(abspath $(BIN))/codepath

accuracy: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/accuracy.py --codepath $(abspath $(BIN))/codepath

docs: $(VENV)/.installed-dev
	$(BIN)/python -m tests.tools.write_reference

$(VENV)/.installed-docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@

site: $(VENV)/.installed-docs
	$(BIN)/sphinx-build -W --keep-going -q -b html docs build/site

# The pictures in docs/pictures, of published releases and of codepath itself; needs Graphviz or the extra svg, and minutes.
ORDER := draw init-order --root sglang.srt.managers.scheduler.Scheduler.__init__
OWN := $(foreach name,extract.parsing.parse program.solver.Solver.solve program.build.SolutionBuilder.of_module \
  store.store.Store.put_solution knowledge.choose.choose,--show codepath.$(name))
pictures: $(VENV)/.installed-dev
	for version in 0.5.9 0.5.23; do \
	  $(BIN)/codepath $(ORDER) --source sglang==$$version -o docs/pictures/init-order-$$version.svg || exit 1; done
	$(BIN)/codepath draw init-order --root Opened.solve $(OWN) --limit 16 --depth 6 -o docs/pictures/own-order.svg
	$(BIN)/codepath draw paths set_global_expert_location_metadata --source sglang==0.5.9 -o docs/pictures/paths-0.5.9.svg

arch-history: $(VENV)/.installed
	$(BIN)/python benchmarks/arch_history.py --codepath $(BIN)/codepath

clean:
	rm -rf $(VENV) build dist
