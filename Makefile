# Makefile: the commands of daily work. Each target installs what it needs (tools/setup).
# JOBS=n limits the compilers run at once.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

build = cmake --preset $(1) && cmake --build --preset $(1) $(if $(JOBS),-j $(JOBS))
godwit := build/release/godwit

.PHONY: help
help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 12

.PHONY: demo
demo:  ## train a small model and print what it reached
	tools/setup build
	$(call build,release)
	$(godwit) demo

.PHONY: test
test:  ## build once and run every test
	tools/setup test
	$(call build,dev)
	ctest --preset dev -j2

.PHONY: check
check:  ## the long checks: clang-tidy, sanitizers, fuzzing, many seeds, mutations
	tools/setup all
	$(call build,tidy)
	$(call build,asan)
	ctest --preset asan -j2
	$(call build,tsan)
	ctest --preset tsan -j2
	$(call build,fuzz)
	tools/fuzz 60
	build/asan/godwit sim --seeds 1..5000
	if [[ -x tools/mutants ]]; then tools/mutants; fi

.PHONY: bench
bench:  ## measure rows, training, pace and groups against their limits; fail where that is missed
	tools/setup build
	$(call build,release)
	$(godwit) bench store
	$(godwit) bench remote
	$(godwit) bench placement --quick
	$(godwit) bench train --quick
	$(godwit) sim pace --verify
	$(godwit) bench pace --verify
	$(godwit) bench collective --verify
	if ((EUID == 0)) && command -v tc >/dev/null; then \
	  $(godwit) bench elastic --verify; \
	else \
	  echo 'bench elastic is left out: its slow links need root and iproute2'; \
	fi

.PHONY: format
format:  ## format all C++ in place
	tools/setup all
	find $(wildcard src include tests fuzz) \( -name '*.h' -o -name '*.cc' \) -print0 | \
	  xargs -0 -r clang-format -i

.PHONY: clean
clean:  ## remove everything that was built
	rm -rf build
