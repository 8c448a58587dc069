# The user's door. Every target prepares the machine itself (setup/environment.sh); `make help` lists them.

SHELL := /bin/sh
PYTHON ?= python3
VENV ?= .venv
PY = $(VENV)/bin/python

# Knobs of a run; config/knobs.py checks them and knows the defaults.
KNOBS = SIM TEST CLUSTERS CORES WARPS THREADS SIMD_WIDTH ISSUE_WIDTH L2 WRITEBACK ENTRY MEM LAUNCH COPY SEED WAVES RECORD DEBUG TIER N MODE
KNOBS += RTL_FILELIST RTL_TOP RTL_DEFINES RTL_INCDIRS RTL_CSRCS RTL_CFLAGS RTL_LIBS RTL_BIND RTL_PREPARE XFAIL
quote := '
knob_arguments = $(foreach knob,$(KNOBS),$(if $($(knob)),'$(knob)=$(subst $(quote),'\'',$($(knob)))'))

# pytest options of `make test`; two workers because every simulation is one busy process.
JOBS ?= 2
PYTEST = $(PY) -m pytest -n $(JOBS) --dist loadgroup

.DEFAULT_GOAL := $(if $(TEST)$(SIM)$(RTL_FILELIST),run,help)
.PHONY: help setup viewers run kernels test test-unit test-rtl test-cosim test-fpu test-rtl-seeded test-faults test-static test-golden mutation-golden bar-campaign test-matrix nightly nightly-diff bisect minimise view timeline picture shell debug waves bench format lock clean

help: ## this list
	@echo "vortex-cosim: co-simulation testbench for the Vortex RISC-V GPGPU"
	@echo
	@echo "  make SIM=verilator TEST=multikernel   run one test on the RTL and the golden model in step"
	@echo "  make test                             all tests of the project"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | awk -F '\t' '{ printf "  make %-12s %s\n", $$1, $$2 }'
	@echo
	@echo "Knobs: CLUSTERS CORES WARPS THREADS  shape of the processor (1 1 4 4)"
	@echo "       SIMD_WIDTH=n                  lanes that a unit executes in a cycle (default: THREADS)"
	@echo "       L2=n                          L2 of n KiB that all cores share (default: 0, none)"
	@echo "       WRITEBACK=1                   write-back D-cache: one core, no L2 (default: write-through)"
	@echo "       ENTRY=cta_entry|s11|direct    kernel entry generation"
	@echo "       MEM=kind|ordered|hostile      memory policy     SEED=n   everything random follows from it"
	@echo "       N=n                           elements that the test works on (default: the test's own)"
	@echo "       LAUNCH=kmu|bar|both           KMU agent, or the BARs of the device (default: both for multikernel, else bar)"
	@echo "       COPY=backdoor|bar             bulk data past the bus, or every byte through BAR2"
	@echo "       TIER=fast|readable            golden model: C from its definitions, or Python; same verdicts"
	@echo "       MODE=lockstep|free            instruction by instruction, or results only"
	@echo "       RTL_FILELIST=core.f           your own core (docs/your_own_core.md), with RTL_TOP RTL_DEFINES RTL_INCDIRS"
	@echo "                                     RTL_CSRCS RTL_CFLAGS RTL_LIBS RTL_BIND RTL_PREPARE"
	@echo "       XFAIL=file                    failures that are known: lines of test: check: reason"
	@echo "       DEBUG=auto|off|always         a failed run again with waves: if the debug model is there, never, or build it"
	@echo "       RECORD=0|1                    keep every record of the run, for make view, timeline, shell"
	@echo "       WAVES=0|1                     COCOTB_TEST_FILTER, COCOTB_RANDOM_SEED as in cocotb"

setup: ## prepare this machine (every other target does it too)
	@PYTHON='$(PYTHON)' VENV='$(VENV)' setup/environment.sh

run: setup ## run TEST (default multikernel) in lockstep
	@$(PY) -m tests.regression run $(knob_arguments)

kernels: setup ## every kernel in lockstep, in one process a shape (SIZE=smoke|default|large TESTS=a,b TABLE=file.md)
	@$(PY) -m tests.regression kernels $(knob_arguments) $(foreach option,SIZE TESTS TABLE,$(if $($(option)),'$(option)=$($(option))'))

viewers: setup
	@setup/viewers.sh

test: viewers ## every test: static checks, unit, RTL blocks, co-simulation, seeded faults
	@$(PYTEST) tests

test-static: setup ## ruff, mypy, Verilator lint
	@$(PYTEST) tests/static

test-unit: viewers ## tests without a simulator
	@$(PYTEST) tests/unit

test-golden: setup ## every test of the golden model
	@$(PYTEST) $(wildcard tests/unit/test_golden_*.py tests/unit/test_follow_*.py tests/unit/test_diagnosis_*.py)

mutation-golden: setup ## one fault at a time in the golden model; report in docs/verification (long)
	@nice -n 19 $(PY) -m tests.mutation

test-rtl: setup ## RTL blocks under cocotb
	@$(PYTEST) tests/rtl

test-fpu: setup ## float unit against SoftFloat, 10 million vectors an operation and mode (long; report in docs/verification)
	@nice -n 19 $(PY) -m tests.rtl.fpu --report docs/verification/fpu.md

test-rtl-seeded: setup ## one fault in each RTL block; its block test must fail (long; report in docs/verification)
	@nice -n 19 $(PY) -m tests.rtl.seeded --report docs/verification/block_faults.md

test-cosim: setup ## whole runs, several configurations
	@$(PYTEST) tests/cosim

test-faults: viewers ## one fault put in, the right report asserted
	@$(PYTEST) tests/faults

bar-campaign: setup ## random command sequences of the BAR device, RTL against golden (FIRST=0 COUNT=10000 VARIANT="strict bus_faults")
	@nice -n 19 $(PY) -m tests.cosim.bar $(or $(FIRST),0) $(or $(COUNT),10000) $(VARIANT)

test-matrix: setup ## the same programs on many shapes (MATRIX='4w4t 2c8w8t' selects), kind and hostile memory
	@VX_MATRIX=1 $(PYTEST) tests/matrix

# What is given becomes an option of `python -m tests.nightly run`; TIER is smoke, nightly or weekly there.
nightly_options = $(if $(TIER),--tier '$(TIER)') $(if $(K),-k '$(K)') $(if $(TAG),--tag '$(TAG)') $(if $(CHANGED),--changed '$(CHANGED)') \
	$(if $(NIGHT_SEED),--seed '$(NIGHT_SEED)') $(if $(RESUME),--resume '$(RESUME)') $(if $(SCHEDULER),--scheduler '$(SCHEDULER)') \
	$(if $(HISTORY),--history '$(HISTORY)') $(if $(SUITES),--suites '$(SUITES)') $(if $(QUIET),--quiet) --workers '$(JOBS)'

nightly: setup ## every kernel, many configurations, fresh seeds; a page (TIER K TAG CHANGED NIGHT_SEED RESUME SCHEDULER HISTORY SUITES QUIET)
	@$(PY) -m tests.nightly run $(nightly_options)

nightly-diff: setup ## what changed between two runs: A=<id> B=<id>
	@$(PY) -m tests.nightly diff '$(A)' '$(B)'

bisect: setup ## the first commit that fails: TEST=… SEED=… GOOD=… BAD=…
	@$(PY) -m tests.nightly bisect --good '$(GOOD)' --bad '$(BAD)' $(knob_arguments)

minimise: setup ## the smallest run that still fails like RUN=<results folder> (RUNS=40 SEEDS=2,3)
	@$(PY) -m tests.regression minimise $(foreach option,RUN RUNS SEEDS,$(if $($(option)),'$(option)=$($(option))'))

debug_options = --run '$(RUN)' --from '$(FROM)' --to '$(TO)'

view: setup ## warps over time in the terminal: RUN=<id> (FROM=… TO=…)
	@$(PY) -m hw.tb.debug view $(debug_options)

timeline: setup ## Perfetto and Konata files of a run: RUN=<id> (FROM=… TO=…)
	@$(PY) -m hw.tb.debug timeline $(debug_options)

# With RUN the picture of a run that there is; else TEST runs first, with the other knobs.
picture: setup ## SVG and PNG of a window: RUN=<id> or TEST=… (FROM=… TO=…)
	@$(if $(RUN),,$(PY) -m tests.regression run $(knob_arguments) RECORD=1 &&) $(PY) -m hw.tb.debug picture --run '$(or $(RUN),$(or $(TEST),multikernel)/)' --from '$(FROM)' --to '$(TO)'

shell: setup ## questions to a recorded run, in IPython: RUN=<id>
	@$(PY) -m hw.tb.debug shell --run '$(RUN)'

debug: setup ## a run again with waves around its first cause: RUN=<id> (FROM=… TO=… SCOPE=…)
	@$(PY) -m tests.regression debug $(foreach option,RUN FROM TO SCOPE,$(if $($(option)),'$(option)=$($(option))'))

waves: setup ## waves of any windows: TEST=… FROM=a,b TO=c,d (SCOPE=vx_tb_top.dut…)
	@$(PY) -m tests.regression waves $(knob_arguments) $(foreach option,FROM TO SCOPE,$(if $($(option)),'$(option)=$($(option))'))

# Every table is printed, whatever goal one of them missed.
bench: setup ## cycles of kernels and where they go; simulation speed, as ratios of one run; cost of the remapper and of recording; speed by cores
	@status=0; for part in hw.tb.bench hw.tb.bar_alone.bench hw.tb.bench.remapper hw.tb.bench.scaling tests.evidence.recording; do \
		$(PY) -m $$part || status=1; done; \
	$(PY) -m tests.cycles $(if $(DOCUMENT),DOCUMENT='$(DOCUMENT)') || status=1; exit $$status

format: setup ## rewrite Python sources in the project's format
	@$(VENV)/bin/ruff format . && $(VENV)/bin/ruff check --fix .

lock: setup ## make requirements.txt from requirements.in
	@setup/lock.sh

clean: ## remove builds and results (the virtual environment stays)
	@rm -rf build results
