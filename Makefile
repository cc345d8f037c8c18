# The only entry: a laptop and CI run the same lines. `make run` serves, `make test` tests.

SHELL := /bin/bash
CACHE := $(HOME)/.cache/forge
CLIENT := clients/typescript

# A clone that CI throws away must not throw the build away with it.
ifdef CI
export CARGO_TARGET_DIR ?= $(CACHE)/target
endif
export CARGO_TARGET_DIR ?= $(CURDIR)/target

# mold links the tests in a second; without it the ordinary linker does, only slower.
ifneq ($(shell command -v mold),)
export RUSTFLAGS ?= -Clink-arg=-fuse-ld=mold
endif

.PHONY: help run demo build dist test client client-suite generators nightly check bench tools agents sdks test-agents fmt

help:
	@echo "make run    build and serve on http://127.0.0.1:8887"
	@echo "make demo   a tour with a scripted agent, no key needed"
	@echo "make build  the release program, built quickly"
	@echo "make dist   the program as it is packaged: smaller and slower to build"
	@echo "make test   everything that must hold"
	@echo "make test-agents  every case of every real agent program; LATEST=1 takes their newest releases"
	@echo "make client the TypeScript client: types, build, tests against the server"
	@echo "make generators  what code generators and a linter make of docs/openapi.json, and a generated client at work"
	@echo "make nightly  the tests of chance and of time, for longer: 1,000 fuzzed sequences, 800 kills, 5,000 attempts"
	@echo "make check  format, lints, docs, architecture"
	@echo "make bench  the numbers, as ratios to a floor of the same run"

run: build
	$(CARGO_TARGET_DIR)/release/forge serve

demo: build
	$(CARGO_TARGET_DIR)/release/forge demo

build:
	cargo build --release --locked --package forge

dist:
	cargo build --profile dist --locked --package forge

test: tools agents sdks
	cargo nextest run --workspace --locked $(if $(CI),--profile ci)
	$(MAKE) client-suite
	$(MAKE) generators

# The TypeScript client. Its suite runs the debug server that `cargo build`, or nextest, has just built.
client:
	cargo build --locked --package forge
	$(MAKE) client-suite

client-suite: $(CLIENT)/node_modules/.package-lock.json
	FORGE_BIN=$(abspath $(CARGO_TARGET_DIR))/debug/forge npm --prefix $(CLIENT) test

$(CLIENT)/node_modules/.package-lock.json: $(CLIENT)/package-lock.json
	npm ci --prefix $(CLIENT) --prefer-offline
	@touch $@

# openapi-python-client, openapi-generator (typescript-fetch, python, go) and redocly lint, pinned, from PyPI and npm into
# ~/.cache/forge/generators. They use the debug server, too.
generators:
	FORGE_BIN=$(abspath $(CARGO_TARGET_DIR))/debug/forge ./tools/generators/run test

# Each of five tests plays 200 sequences; each of ten storms on two databases kills 40 times.
nightly: tools
	FORGE_FUZZ_SEQUENCES=200 FORGE_CHAOS_ROUNDS=40 FORGE_DAY_ATTEMPTS=5000 cargo nextest run --package forge --locked \
		--profile nightly --filterset 'test(/^(fuzz|chaos|day)::/)'

check:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --document-private-items

bench:
	cargo build --profile dist --locked --workspace
	$(CARGO_TARGET_DIR)/dist/forge-bench --forge $(CARGO_TARGET_DIR)/dist/forge \
		--agent $(CARGO_TARGET_DIR)/dist/scripted-agent $(BENCH)

fmt:
	cargo fmt --all

# What the tests need beside Rust, Node 20, Python 3.11 and git.
tools:
	@command -v cargo-nextest >/dev/null || cargo install --locked cargo-nextest
	@command -v mold >/dev/null || ./tools/install mold
	@command -v setsid >/dev/null && command -v setpriv >/dev/null || ./tools/install util-linux
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || ./tools/install postgresql
	@command -v openssl >/dev/null || ./tools/install openssl

# The real programs that `make test` runs against a stub model.
agents:
	@./tools/agents install claude codex goose gemini

# The MCP SDKs that the tests speak to it with.
sdks:
	@./tools/sdks/install >/dev/null

# All of them, or AGENTS="vibe pi", and a table of what breaks; LATEST=1 takes the newest release of each.
test-agents: tools
	./tools/agents test $(if $(LATEST),--latest) $(AGENTS)
