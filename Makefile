# Every command of this repository. GNU make 3.81 or later (macOS has 3.81): no .ONESHELL, no .SHELLFLAGS.
# All paths are relative, so the repository may stand under a path with blanks.
#
# Two build folders, because the function is built with other flags than its tests:
#   .build           harness and tests
#   .build/function  the function in release, as it is shipped

SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help run test fuzz check-terraform check-sam serve check-clients check-rie bootstrap package package-identity build bench floor lint format conformance clean deps build-AuthorizerFunction build-IdentityFunction system-packages

SYSTEM := $(shell uname -s)
HARNESS := .build/debug/authorizer-local

# On Linux the function is Embedded Swift, one fully static file (docs/decisions/0001-linking.md); elsewhere a dynamic
# development build. The toolchain keeps Unicode's tables for Embedded Swift in an archive of their own.
ifeq ($(SYSTEM),Linux)
TABLES = $(shell swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/embedded/$(shell \
  uname -m)-unknown-linux-gnu/libswiftUnicodeDataTables.a
FUNCTION = AUTHORIZER_FUNCTION=1 scripts/build "make bootstrap" \
  swift build -c release --disable-local-rpath --scratch-path .build/function -Xlinker "$(TABLES)"
else
FUNCTION = for product in bootstrap identity fetch-keys call-dynamodb; do \
  scripts/build "make bootstrap" swift build -c release --product $$product --scratch-path .build/function || exit; done
endif

# $(1): the command that builds the harness.
define HARNESS_BUILD
@if [ ! -x $(HARNESS) ]; then echo "$(1): building the harness; its packages take some minutes once"; fi
@scripts/build "$(1)" swift build --product authorizer-local
endef

## help: what each command does
help:
	@echo "usage: make COMMAND"
	@sed -n 's/^## //p' Makefile | awk '{ at = index($$0, ": "); printf "  %-26s %s\n", substr($$0, 1, at - 1), substr($$0, at + 2) }'

## run: build everything, then answer all sample events and print one policy whole
run: bootstrap
	$(call HARNESS_BUILD,make run)
	@echo "make run: every sample event, through the real function"
	$(HARNESS) test events
	@echo "make run: one event, its answer whole"
	$(HARNESS) invoke events/rest-token-good.json

# The deployment's own configuration where there is one; else one that trusts development tokens of any user.
SERVED_CONFIG = $(firstword $(wildcard template/authorizer.json) docs/harness/quick-start.json)

## serve: API Gateway for template/template.yaml on 127.0.0.1:8080 (PORT=, ARGS=)
serve: bootstrap
	$(call HARNESS_BUILD,make serve)
	$(HARNESS) serve --config $(SERVED_CONFIG) --port $(or $(PORT),8080) $(ARGS)

## test: every test, with the shipped function as a process
test: bootstrap
	@if [ ! -x $(HARNESS) ]; then echo "make test: building harness and tests; their packages take some minutes once"; fi
	@scripts/build "make test" swift build --build-tests
	@scripts/run-tests --skip-build

## fuzz: the parsers against mutated inputs (Linux; FUZZ_RUNS=, FUZZ_SECONDS=, FUZZ_PARSER=)
fuzz: system-packages
	@scripts/fuzz

## check-rie: the function under AWS's own Runtime Interface Emulator (Linux; downloads aws-sam-cli; REQUIRE=1)
check-rie: bootstrap
	$(call HARNESS_BUILD,make check-rie)
	@scripts/check-rie

## check-clients: AWS's Python runtime client, boto3 and the AWS command line against the harness (Python packages; REQUIRE=1)
check-clients:
	@scripts/check-clients

## check-ministack: the same requests to serve and to MiniStack, another emulator (Python packages; ZIP=, UPDATE=1, REQUIRE=1)
.PHONY: check-ministack
check-ministack: bootstrap
	$(call HARNESS_BUILD,make check-ministack)
	@scripts/check-ministack $(if $(ZIP),--zip "$(ZIP)") $(if $(UPDATE),--update)

## check-moto: the store of users and the whole sign-in against DynamoDB as moto emulates it (Python packages; REQUIRE=1)
.PHONY: check-moto
check-moto: bootstrap
	@scripts/check-moto

## check-sam: the SAM templates by cfn-lint, sam validate --lint and sam build (Linux; Python packages; REQUIRE=1)
check-sam: bootstrap
	@scripts/check-sam

## check-terraform: the Terraform files by terraform fmt and validate, and by python-hcl2 (REQUIRE=1)
check-terraform:
	@scripts/check-terraform

## bootstrap: both functions as they are shipped: dist/bootstrap and dist/identity, with fetch-keys and call-dynamodb
bootstrap: system-packages
	@echo "make bootstrap: release build of the function"
	@$(FUNCTION)
	@mkdir -p dist
	@for file in bootstrap identity fetch-keys call-dynamodb; do \
	cp .build/function/release/$$file dist/.$$file.new && mv -f dist/.$$file.new dist/$$file || exit; done
	@$(if $(filter Linux,$(SYSTEM)),scripts/check-programs dist/bootstrap dist/identity -- dist/fetch-keys dist/call-dynamodb)

## package: the functions as ZIP files for Lambda, checked and started, to dist (AUTHORIZER_CONFIG_FILE=, IDENTITY_CONFIG_FILE=)
package: bootstrap
	$(PACKER)
	@$(HARNESS) package $(PACKAGED_CONFIG) $(PACKAGED_KEYS)
	@$(if $(PACKAGED_IDENTITY),$(HARNESS) package --name identity $(PACKAGED_IDENTITY) $(PACKAGED_KEYS))

## package-identity: the function that signs users in as a ZIP file, also without a configuration (IDENTITY_CONFIG_FILE=)
package-identity: bootstrap
	$(PACKER)
	@$(HARNESS) package --name identity $(PACKAGED_IDENTITY) $(PACKAGED_KEYS)

PACKER = $(call HARNESS_BUILD,make package)

# Without either a package has no configuration, and the function reads its variables.
PACKAGED_CONFIG = $(if $(AUTHORIZER_CONFIG_FILE),--config "$(AUTHORIZER_CONFIG_FILE)",$(if \
  $(wildcard template/authorizer.json),--config template/authorizer.json))
PACKAGED_IDENTITY = $(if $(IDENTITY_CONFIG_FILE),--config "$(IDENTITY_CONFIG_FILE)",$(if \
  $(wildcard template/identity.json),--config template/identity.json))
PACKAGED_KEYS = $(if $(wildcard template/keys),--keys template/keys)

## build: the function and the release harness, to dist/bootstrap and dist/authorizer-local
build: bootstrap
	@if [ ! -d .build/release ]; then echo "make build: building the harness; its packages take some minutes once"; fi
	@scripts/build "make build" swift build -c release --product authorizer-local
	@cp .build/release/authorizer-local dist/.authorizer-local.new
	@mv -f dist/.authorizer-local.new dist/authorizer-local

## bench: how fast the function starts and answers, beside the least that a function can do (BENCH= for options)
bench: floor build
	dist/authorizer-local bench $(BENCH)

# A fully static C program that answers a constant, what bench measures against. Darwin has no static executables.
floor:
	@compiler=; for name in cc gcc clang; do \
	if command -v $$name >/dev/null; then compiler=$$name; break; fi; done; \
	[ -n "$$compiler" ] || { echo "error: no C compiler for the floor of the benchmark: cc, gcc or clang" >&2; \
	echo "hint: apt-get install gcc; or authorizer-local bench --no-floor" >&2; exit 69; }; \
	mkdir -p .build && $$compiler -O2 -Wall -Wextra $(if $(filter Linux,$(SYSTEM)),-static) -o .build/floor Tests/Fixtures/floor.c

## lint: layout of the code, shell scripts, and a build in which a warning is an error
lint: system-packages
	swift format lint --strict --recursive Sources Tests Package.swift
	sh -n scripts/system-packages
	sh -n scripts/check-programs
	sh -n scripts/copy-key-sets
	sh -n scripts/moved-checkout
	sh -n scripts/check-tools
	bash -n scripts/build
	bash -n scripts/run-tests
	bash -n .ci/run
	bash -n scripts/fuzz
	bash -n scripts/check-rie
	bash -n scripts/check-ministack
	bash -n scripts/check-clients
	bash -n scripts/check-moto
	bash -n scripts/check-sam
	bash -n scripts/check-terraform
	bash -n scripts/fetch-vectors
	@if command -v shellcheck >/dev/null; then shellcheck $(filter-out %.pins %.txt,$(wildcard scripts/*)) .ci/run; \
	else echo "make lint: shellcheck is not installed, scripts are parsed only"; fi
	WARNINGS_AS_ERRORS=1 scripts/build "make lint" swift build --build-tests

## format: lay out all Swift code as make lint wants it
format:
	swift format --in-place --recursive Sources Tests Package.swift

## vectors: fetch the test vectors of other projects to .vectors (git; VECTORS= for another folder)
.PHONY: vectors
vectors:
	@scripts/fetch-vectors $(VECTORS)

# Where tests look for the vectors: VECTORS=, .vectors, or shared/vectors beside the checkout.
VECTORS_HERE = $(firstword $(wildcard $(or $(VECTORS),.vectors ../shared/vectors)))

## conformance: write CONFORMANCE.md from a real run of the test vectors of other projects (VECTORS=)
conformance: system-packages
	@[ -n "$(VECTORS_HERE)" ] || { echo "error: the test vectors are not in $(or $(VECTORS),.vectors)" >&2; \
	echo "hint: make vectors$(if $(VECTORS), VECTORS=$(VECTORS)) fetches them" >&2; exit 69; }
	UPDATE_CONFORMANCE=1 swift test --disable-xctest --filter ConformanceTests

## docs: write the pages of docs/reference that are generated from schema and help
.PHONY: docs
docs:
	UPDATE_REFERENCE=1 swift test --disable-xctest --filter ReferencePageTests

## clean: remove everything that was built
clean:
	rm -rf .build dist

## deps: install missing system packages (INSTALL=1: without a question), fetch the Swift packages
deps: system-packages
	swift package resolve

## build-AuthorizerFunction: what `sam build` calls: function and configuration to ARTIFACTS_DIR
build-AuthorizerFunction: bootstrap
	@$(call SAM_ARTIFACT,bootstrap,authorizer.json)

## build-IdentityFunction: the same for the function that signs users in, which is a bootstrap there too
build-IdentityFunction: bootstrap
	@$(call SAM_ARTIFACT,identity,identity.json)

# $(1): the function in dist, $(2): its configuration. Lambda's user is not the files' owner, whatever umask they were
# written under.
SAM_ARTIFACT = [ $(SYSTEM) = Linux ] || { echo "error: Lambda runs Linux, this is $(SYSTEM)" >&2; \
	echo "hint: run sam build on Linux, of the architecture that the function shall have" >&2; exit 69; }; \
	[ -n "$$ARTIFACTS_DIR" ] || { echo "error: ARTIFACTS_DIR is not set" >&2; echo "hint: run sam build" >&2; exit 64; }; \
	set -e; mkdir -p "$$ARTIFACTS_DIR"; \
	cp dist/$(1) "$$ARTIFACTS_DIR/bootstrap"; cp dist/fetch-keys dist/call-dynamodb "$$ARTIFACTS_DIR/"; \
	if [ -f template/$(2) ]; then cp template/$(2) "$$ARTIFACTS_DIR/"; fi; \
	if [ -d template/keys ]; then scripts/copy-key-sets template/keys "$$ARTIFACTS_DIR/keys"; fi; \
	chmod -R u=rwX,go=rX "$$ARTIFACTS_DIR"

system-packages: moved-checkout
	@scripts/system-packages

# A .build that was made elsewhere does not build.
.PHONY: moved-checkout
moved-checkout:
	@scripts/moved-checkout
