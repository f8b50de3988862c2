# What people type. `make demo` and `make test` set up by themselves.

BIN := .venv/bin
PORT ?= 8707
CORES ?= 4
PIN := envs/requirements.txt pyproject.toml envs/setup.sh

.PHONY: help setup demo test test-slow test-engines lint format bench bench-scale bench-acquire bench-transcribe bench-read bench-ingest rulegraph lock clean

help:
	@echo "make setup      .venv with snakemake and centinel"
	@echo "make demo       serve a small town on this machine, archive it, show the audit"
	@echo "make test       fast tests, under ten minutes"
	@echo "make test-slow  the others"
	@echo "make test-engines    the other binding of whisper.cpp, in a venv of its own"
	@echo "make lint       style, types, snakemake --lint"
	@echo "make bench      how fast the workflow is, against goals"
	@echo "make bench-transcribe how fast recordings are transcribed, beside bare pywhispercpp"
	@echo "make bench-scale     how it holds at N=100000 documents, in PARTS; hours for all of it"
	@echo "make bench-acquire   how fast it acquires, beside scrapy and a bare loop (wants nginx)"
	@echo "make bench-read      how well and how fast it reads, beside markitdown"
	@echo "make bench-ingest    how fast it ingests datasets, beside a bare loop that hashes"

setup: .venv/.ready

.venv/.ready: $(PIN)
	@envs/setup.sh

.venv/.ready-dev: $(PIN) envs/requirements-dev.txt
	@envs/setup.sh dev

demo: .venv/.ready-dev
	@$(BIN)/python -m tests.sites.demo --port $(PORT) --cores $(CORES)

test: .venv/.ready-dev
	$(BIN)/python -m pytest -q -n 2 -m "not slow"

# Those of a cluster want sbatch, that of WARC files a browser, and say so where there is none.
test-slow: .venv/.ready-dev
	@! command -v sbatch >/dev/null || $(MAKE) -s build/slurm/.ready
	@! command -v chromium >/dev/null || $(MAKE) -s build/venv-pywb/.ready
	$(BIN)/python -m pytest -q -n 2 -m slow

# The plugin for SLURM, in a folder of its own: its imports slow every other run down.
build/slurm/.ready: envs/requirements-slurm.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check --upgrade --no-deps --target $(@D) -r $<
	touch $@

# What replays an exported WARC, in a venv of its own: it is a server with pins of its own.
build/venv-pywb/.ready: envs/requirements-pywb.txt
	$(BIN)/python -m venv $(@D)
	$(@D)/bin/python -m pip install -q --disable-pip-version-check -r $<
	touch $@

# The other binding of whisper.cpp transcribes once, in a venv of its own: it brings half a gigabyte.
test-engines: .venv/.ready-dev build/venv-whisper-cpp-python/.ready
	PYTHONPATH=scripts:. build/venv-whisper-cpp-python/bin/python -m pytest -q -p no:xdist \
		tests/unit/transcribe/test_engines.py

build/venv-whisper-cpp-python/.ready: envs/requirements-whisper-cpp-python.txt
	$(BIN)/python -m venv $(@D)
	CMAKE_POLICY_VERSION_MINIMUM=3.5 $(@D)/bin/python -m pip install -q --disable-pip-version-check -r $<
	$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
		> "$$($(@D)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/main.pth"
	touch $@

lint: .venv/.ready-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	MYPYPATH=scripts $(BIN)/mypy -p centinel
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/snakemake --lint

format: .venv/.ready-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/snakefmt Snakefile rules

bench: .venv/.ready-dev
	$(BIN)/python -m tests.bench.workflow

# At N documents; PARTS="jobs workflow sources turns single finding" for some of it, SOURCES of a
# hundred each; EACH=10 RPS=5 has the turns take less time.
bench-scale: .venv/.ready-dev
	$(BIN)/python -m tests.bench.scale --documents $(or $(N),20000) --sources $(or $(SOURCES),200) \
		--each $(or $(EACH),100) --rps $(or $(RPS),1) $(PARTS)

# Against Scrapy and requests; LONG=--long for 50,000 addresses. Without nginx it says so and ends.
bench-acquire: .venv/.ready-dev
	@! PATH="$$PATH:/usr/sbin:/usr/local/sbin" command -v nginx >/dev/null || $(MAKE) -s build/venv-bench/.ready
	$(BIN)/python -m tests.bench.acquire $(LONG)

# Beside markitdown, on the documents beside the project; PARTS="speed large" for some of it.
bench-read: .venv/.ready-dev build/venv-bench-read/.ready
	$(BIN)/python -m tests.bench.read $(PARTS)

build/venv-bench-read/.ready: envs/requirements-bench-read.txt
	$(BIN)/python -m venv build/venv-bench-read
	build/venv-bench-read/bin/python -m pip install -q --disable-pip-version-check -r $<
	touch $@

# Against bare pywhispercpp; LONG=--long for the memory of three hours, PAUSES=--pauses for more figures.
bench-transcribe: .venv/.ready-dev
	$(BIN)/python -m tests.bench.transcribe $(LONG) $(PAUSES)

build/venv-bench/.ready: envs/requirements-bench.txt
	$(BIN)/python -m venv build/venv-bench
	build/venv-bench/bin/python -m pip install -q --disable-pip-version-check -r $<
	touch $@

# Against a bare loop of requests; PART=10 for a tenth of the sizes.
bench-ingest: .venv/.ready-dev
	$(BIN)/python -m tests.bench.ingest --part $(or $(PART),1)

# The picture in the README, from the results of make demo; needs graphviz. Snakemake draws no edge
# from a checkpoint to the jobs that it plans: awk adds that one.
rulegraph: .venv/.ready
	$(BIN)/snakemake --rulegraph dot \
	| awk '/label = "classify"/ {split($$1, c, "[")} /label = "extract"/ {split($$1, e, "[")} \
	       /^}/ {print "\t" c[1] " -> " e[1]} {print}' \
	| dot -Grankdir=LR -Tsvg > docs/rulegraph.svg

# The pins, from the lists that people edit.
lock: .venv/.ready-dev
	$(BIN)/python -m pip install -q uv
	@for list in requirements requirements-dev; do \
		head -n 1 envs/$$list.txt > envs/$$list.new; \
		$(BIN)/uv pip compile -q --no-header --no-annotate envs/$$list.in >> envs/$$list.new && mv envs/$$list.new envs/$$list.txt; \
	done

clean:
	rm -rf .venv .snakemake build scripts/*.egg-info .pytest_cache .mypy_cache .ruff_cache
