# All commands of this repository. Requires GNU make 3.81 or later (macOS has 3.81): no .ONESHELL, no .SHELLFLAGS. All
# paths are relative, so the repository's path may contain spaces.
#
# Several build folders, because the function and its tests are built with different flags:
#   .build                 harness and tests
#   .build/function        the shipped release build of the function
#   .build/function-arm64  the same for arm64, built on another machine

SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: $(shell sed -n 's/^.. [a-z]* \([A-Za-z0-9-]*\): .*/\1/p' Makefile) floor build-instructions own-prefix \
  system-packages architecture moved-checkout

SYSTEM := $(shell uname -s)
HARNESS := .build/debug/authorizer-local

# ARCH is the function's architecture for these commands. Other projects use the same name in the environment, so it
# counts only on make's command line, except for the commands of `sam build`, which can pass it in no other way.
SAM_COMMANDS = build-AuthorizerFunction build-IdentityFunction
ARCH_COMMANDS = bootstrap package package-identity $(SAM_COMMANDS)
OTHER_COMMANDS := $(filter-out $(ARCH_COMMANDS) clean,$(MAKECMDGOALS))
OWN_ARCH := $(patsubst aarch64,arm64,$(shell uname -m))
GIVEN_ARCH := $(if $(filter command,$(origin ARCH))$(if \
  $(filter-out $(SAM_COMMANDS),$(MAKECMDGOALS)),,sam),$(strip $(ARCH)))
WANTED_ARCH := $(if $(OTHER_COMMANDS),,$(GIVEN_ARCH))
CROSS := $(filter-out $(OWN_ARCH),$(WANTED_ARCH))
ifneq ($(filter command,$(origin RUN_WITH)),command)
RUN_WITH :=
endif
DIST_FOLDER := dist$(if $(filter arm64,$(WANTED_ARCH)),/arm64)
FUNCTION_FOLDER := .build/function$(if $(CROSS),-arm64)

# The same commit gives the same programs in every folder: C's __FILE__ is relative, and there is no debug information.
# For incremental compilation, each object has a checksum of its module with all paths, which stays in the program
# (.swift_modhash). Without that, the section is zeros. The build ID is a checksum of the program, so it is equal too.
PATHLESS = -debug-info-format none -Xcc "-ffile-prefix-map=$(CURDIR)=." \
  -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen

# On Linux the function is Embedded Swift, one fully static file (docs/contributing/decisions/0001-linking.md); elsewhere a dynamic
# development build. The toolchain has Unicode's tables for Embedded Swift in a separate archive.
ifeq ($(SYSTEM),Linux)
TABLES = $(shell swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/embedded/$(if \
  $(CROSS),aarch64-none-none-elf,$(shell uname -m)-unknown-linux-gnu)/libswiftUnicodeDataTables.a
# The toolchain has no Embedded Swift for arm64 Linux, only for arm64 without a system: docs/contributing/decisions/0007-arm64.md.
SYSROOT = .build/arm64/sysroot
CROSS_FLAGS = --triple aarch64-unknown-linux-gnu --sdk $(SYSROOT) --toolset scripts/arm64-toolset.json \
  --pkg-config-path $(SYSROOT)/usr/lib/aarch64-linux-gnu/pkgconfig
FUNCTION_BUILD = env AUTHORIZER_FUNCTION=1 swift build -c release --disable-local-rpath $(PATHLESS) \
  --scratch-path $(FUNCTION_FOLDER) $(if $(CROSS),$(CROSS_FLAGS)) -Xlinker "$(TABLES)"
FUNCTION = $(FUNCTION_BUILD)
else
FUNCTION_BUILD = swift build -c release --scratch-path $(FUNCTION_FOLDER)
FUNCTION = $(call FUNCTION_PRODUCTS,$(PROGRAMS))
endif
PROGRAMS = bootstrap identity fetch-keys call-dynamodb

# $(1): the programs to build, one after the other. The build of the harness writes Package.resolved, with which SwiftPM
# would fetch all packages for the next program too, which uses none.
FUNCTION_PRODUCTS = bash -c 'for product in $(1); do rm -f Package.resolved; "$$@" --product $$product || exit; \
  done' build $(FUNCTION_BUILD)

# TLS=1 on the command line: `serve --tls`, whose library takes minutes to build (Package.swift).
SERVED_TLS := $(if $(filter command,$(origin TLS)),$(filter 1,$(TLS)))
ifneq ($(SERVED_TLS),)
export AUTHORIZER_TLS = 1
endif

# One compiler for all files of a module, which otherwise each compiler reads again. An index costs one to two seconds of
# each module, so it is made only of the test targets, where SwiftPM looks for tests of XCTest (Package.swift). Other flags
# compile everything again. The pinned packages are fetched before this build only.
export DEBUG_FLAGS := --disable-index-store \
  $(addprefix -Xswiftc ,-wmo -num-threads 1 -no-emit-module-separately-wmo -disable-batch-mode)
DEBUG_BUILD = scripts/pins --resolve .build swift build $(DEBUG_FLAGS)
HARNESS_BUILD = $(DEBUG_BUILD) --product authorizer-local
ifeq ($(SYSTEM),Linux)
TEST_INDEX = .build/$(shell uname -m)-unknown-linux-gnu/debug/index/store
export AUTHORIZER_TEST_INDEX := $(TEST_INDEX)
endif

# Builds with one progress line. $(1): the make command, $(2): the builds, separated by --. They run at the same time:
# each has phases in which it uses one processor only.
define BUILD
@if [ ! -x $(HARNESS) ]; then echo "$(1): the first build takes some minutes"; fi
@scripts/build "$(1)" $(2)
endef

# $(1): the programs to copy to dist.
define DIST
@mkdir -p $(DIST_FOLDER)
@for file in $(1); do cp $(FUNCTION_FOLDER)/release/$$file $(DIST_FOLDER)/.$$file.new && \
mv -f $(DIST_FOLDER)/.$$file.new $(DIST_FOLDER)/$$file || exit; done
@$(if $(filter Linux,$(SYSTEM)),scripts/check-programs \
$(addprefix $(DIST_FOLDER)/,$(filter bootstrap identity,$(1))) -- \
$(addprefix $(DIST_FOLDER)/,$(filter fetch-keys call-dynamodb,$(1))))
endef

## use help: what each command does
help:
	@echo "usage: make COMMAND"
	@for group in use develop check release; do printf '\n%s:\n' $$group; sed -n "s/^## $$group //p" Makefile | \
	awk '{ at = index($$0, ": "); printf "  %-26s %s\n", substr($$0, 1, at - 1), substr($$0, at + 2) }'; done

## use run: build everything, answer all sample events, and print one complete policy
run: system-packages
	$(call BUILD,make run,$(call FUNCTION_PRODUCTS,bootstrap fetch-keys) -- $(HARNESS_BUILD))
	$(call DIST,bootstrap fetch-keys)
	@echo "make run: every sample event, through the real function"
	$(HARNESS) test events
	@echo "make run: one event with its complete answer"
	$(HARNESS) invoke events/rest-token-good.json

# The deployment's own configuration if there is one, else one that trusts development tokens of any user.
SERVED_CONFIG = $(firstword $(wildcard template/authorizer.json) docs/harness/quick-start.json)

## use serve: API Gateway for template/template.yaml on 127.0.0.1:8080 (PORT=, ARGS=, TLS=1 for HTTPS)
serve: system-packages
	$(call BUILD,make serve,$(FUNCTION) -- $(HARNESS_BUILD))
	$(call DIST,$(PROGRAMS))
	@$(HARNESS) serve --config $(SERVED_CONFIG) --port $(or $(PORT),8080) $(if $(SERVED_TLS),--tls )$(ARGS)

# MODULE=JOSE builds and runs JOSETests alone, with the programs that dist has.
TESTED_MODULE := $(if $(filter command,$(origin MODULE)),$(strip $(MODULE)))
# Package.swift reads it. Never from the environment: `make test` would leave tests out.
export TEST_TARGETS := $(if $(TESTED_MODULE),$(TESTED_MODULE:Tests=)Tests)

# Builds what the tests of the module use. ProcessTests also run programs, which they do not import.
MODULE_BUILD = $(DEBUG_BUILD) $(if $(filter ProcessTests,$(TEST_TARGETS)),--build-tests,--product \
  api-gateway-authorizerPackageTests)

## develop test: all tests, with the shipped function as a process (MODULE= for the tests of one module)
test: system-packages
ifneq ($(TESTED_MODULE),)
	@[ -d Tests/$(TEST_TARGETS) ] || { echo "error: there is no folder Tests/$(TEST_TARGETS)" >&2; \
	echo "hint: one of: $(patsubst Tests/%Tests,%,$(wildcard Tests/*Tests))" >&2; exit 64; }
	$(call BUILD,make test,$(MODULE_BUILD))
	@scripts/run-tests --skip-build --filter "^$(TEST_TARGETS)\."
else
	$(call BUILD,make test,$(FUNCTION) -- $(DEBUG_BUILD) --build-tests)
	$(call DIST,$(PROGRAMS))
	@scripts/run-tests --skip-build
endif

## develop test-function: the tests of the functions' modules alone, which need no package (a build folder of its own)
test-function: export AUTHORIZER_FUNCTION_TESTS = 1
test-function: export AUTHORIZER_TEST_INDEX = $(TEST_INDEX:.build/%=.build/function-tests/%)
test-function: system-packages
	@scripts/build "make test-function" swift build $(DEBUG_FLAGS) --build-tests --scratch-path \
	  .build/function-tests
	@scripts/run-tests --skip-build --scratch-path .build/function-tests

## develop fuzz: test the parsers with mutated inputs (Linux; FUZZ_RUNS=, FUZZ_SECONDS=, FUZZ_PARSER=)
fuzz: system-packages
	@scripts/fuzz

## check check-rie: run the function in AWS's Runtime Interface Emulator (Linux; downloads aws-sam-cli; REQUIRE=1)
check-rie: system-packages
	$(call BUILD,make check-rie,$(FUNCTION) -- $(HARNESS_BUILD))
	$(call DIST,$(PROGRAMS))
	@scripts/check-rie

## check check-clients: test the harness with AWS's clients, and from pytest and node:test (Python packages; REQUIRE=1)
check-clients: system-packages
	$(call BUILD,make check-clients,$(FUNCTION) -- $(DEBUG_BUILD) --build-tests)
	$(call DIST,$(PROGRAMS))
	@scripts/check-clients

## check check-bound: send bound tokens to serve --tls with joserfc, jwcrypto and curl (Python packages; builds TLS; REQUIRE=1)
check-bound: export AUTHORIZER_TLS = 1
check-bound: system-packages
	$(call BUILD,make check-bound,$(FUNCTION) -- $(HARNESS_BUILD))
	$(call DIST,$(PROGRAMS))
	@scripts/check-bound

## check check-mcp: log the MCP Python SDK and a page in Chromium in at serve (Python packages, Chromium; REQUIRE=1)
check-mcp: system-packages
	$(call BUILD,make check-mcp,$(FUNCTION) -- $(HARNESS_BUILD))
	$(call DIST,$(PROGRAMS))
	@scripts/check-mcp

## check check-ministack: send the same requests to serve and to MiniStack (Python packages; ZIP=, UPDATE=1, REQUIRE=1)
check-ministack: system-packages
	$(call BUILD,make check-ministack,$(FUNCTION) -- $(HARNESS_BUILD))
	$(call DIST,$(PROGRAMS))
	@scripts/check-ministack $(if $(ZIP),--zip "$(ZIP)") $(if $(UPDATE),--update)

## check check-console: test the console of serve in Chromium (Python packages; REQUIRE=1), or renew its pictures (PICTURES=1)
check-console: system-packages
	$(call BUILD,make check-console,$(FUNCTION) -- $(HARNESS_BUILD))
	$(call DIST,$(PROGRAMS))
	@scripts/check-console $(if $(PICTURES),--pictures)

## check check-moto: test the user store and the sign-in with moto's DynamoDB (Python packages; REQUIRE=1)
check-moto: bootstrap
	@scripts/check-moto

## check check-sam: check the SAM templates with cfn-lint and sam (Linux; Python packages; REQUIRE=1)
check-sam: bootstrap
	@scripts/check-sam

## check check-templates: read and serve public templates, and compare each route (TEMPLATES=folder, UPDATE=1, REQUIRE=1)
check-templates: system-packages
	$(call BUILD,make check-templates,$(HARNESS_BUILD))
	@scripts/check-templates $(if $(TEMPLATES),--templates "$(TEMPLATES)") $(if $(UPDATE),--update)

## check check-terraform: check the Terraform files with terraform fmt and validate, and python-hcl2 (REQUIRE=1)
check-terraform:
	@scripts/check-terraform

## check check-workflows: check the GitHub workflows with GitHub's schema, zizmor and actionlint (Python packages; REQUIRE=1)
check-workflows:
	@scripts/check-workflows

## check check-image: check the Dockerfile with hadolint, and build it where an engine runs (Python packages; REQUIRE=1)
check-image: bootstrap
	@scripts/check-image

## check check-arm64: build for arm64 and run the programs, in QEMU on other machines (Linux; Debian packages; REQUIRE=1)
check-arm64: system-packages
	@scripts/check-arm64

## use bootstrap: build both functions for shipping to dist, with fetch-keys and call-dynamodb (ARCH=arm64: to dist/arm64)
bootstrap: system-packages
	@scripts/build "make bootstrap" $(FUNCTION)
	$(call DIST,$(PROGRAMS))

## use package: pack and check the functions as ZIP files in dist (AUTHORIZER_CONFIG_FILE=, IDENTITY_CONFIG_FILE=, ARCH=)
package: system-packages
	$(PACKER)
	$(call DIST,$(PROGRAMS))
	@$(call PACK,bootstrap) $(PACKAGED_CONFIG) $(PACKAGED_KEYS)
	@$(if $(PACKAGED_IDENTITY),$(call PACK,identity) --name identity $(PACKAGED_IDENTITY) $(PACKAGED_KEYS))

## use package-identity: pack the identity function as a ZIP file, also without configuration (IDENTITY_CONFIG_FILE=, ARCH=)
package-identity: system-packages
	$(PACKER)
	$(call DIST,$(PROGRAMS))
	@$(call PACK,identity) --name identity $(PACKAGED_IDENTITY) $(PACKAGED_KEYS)

PACKER = $(call BUILD,make package,$(FUNCTION) -- $(HARNESS_BUILD))

# $(1): the program that becomes the package's bootstrap. It is started once, if necessary in an emulator (RUN_WITH=).
PACK = $(if $(CROSS)$(RUN_WITH),emulator=$(if $(RUN_WITH),"$(RUN_WITH)",$$(scripts/arm64-emulator)) || exit; \
  )$(HARNESS) package --bootstrap $(DIST_FOLDER)/$(1) --fetch-keys $(DIST_FOLDER)/fetch-keys \
  --call-dynamodb $(DIST_FOLDER)/call-dynamodb $(if $(CROSS)$(RUN_WITH),--run-with "$$emulator")

# If both are missing, the package has no configuration and the function reads its environment variables.
PACKAGED_CONFIG = $(if $(AUTHORIZER_CONFIG_FILE),--config "$(AUTHORIZER_CONFIG_FILE)",$(if \
  $(wildcard template/authorizer.json),--config template/authorizer.json))
PACKAGED_IDENTITY = $(if $(IDENTITY_CONFIG_FILE),--config "$(IDENTITY_CONFIG_FILE)",$(if \
  $(wildcard template/identity.json),--config template/identity.json))
PACKAGED_KEYS = $(if $(wildcard template/keys),--keys template/keys)

# The release harness contains Swift's libraries: an installed program must not need the folder of the toolchain.
STATIC_RUNTIME = $(if $(filter Linux,$(SYSTEM)),$(shell \
  resources=$$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p'); \
  [ ! -f "$${resources}_static/linux/libFoundation.a" ] || echo --static-swift-stdlib))

# The folder's path has the same length in every checkout, and so have those of the packages' sources.
TOOL_FOLDER = $(shell scripts/tool-folder)

# The release tool has libstdc++, libgcc, libcrypto and zlib in it, and no library search path, so it starts on systems
# with glibc 2.34 alone and loads nothing from its own folder. Swift's driver links with -lstdc++, and SwiftPM with the
# flags of .pc files, for which the linker takes the archives of LIBRARY_FOLDER. libcrypto and zlib are not exported: a
# libcurl that is loaded later has its own. OpenSSL_version is for the SBOM, as in Package.swift. A toolchain without
# static libraries makes a tool for its own machine, which is checked only if others get it (PORTABLE=1).
ifeq ($(SYSTEM),Linux)
LIBRARY_FOLDER = $(TOOL_FOLDER)/libraries
LINK_LIBRARIES = mkdir -p $(LIBRARY_FOLDER) && \
  link() { [ ! -f "$$1" ] || ln -sf "$$1" $(LIBRARY_FOLDER)/; }; link "$$(clang -print-file-name=libstdc++.a 2>/dev/null)"; \
  for name in libcrypto:libcrypto.a zlib:libz.a; do package=$${name%:*}; \
  link "$$(pkg-config --variable=libdir $$package)/$${name\#*:}"; \
  sed 's|^Libs: |&-L"$(CURDIR)/$(LIBRARY_FOLDER)" |' "$$(pkg-config --variable=pcfiledir $$package)/$$package.pc" \
  >$(LIBRARY_FOLDER)/$$package.pc || exit; done
HARNESS_LINK = --disable-local-rpath -Xlinker -s -Xswiftc -use-ld=lld -Xswiftc -Xclang-linker -Xswiftc -static-libgcc \
  -Xswiftc "-L$(CURDIR)/$(LIBRARY_FOLDER)" -Xlinker --exclude-libs=libcrypto.a:libz.a -Xlinker -u -Xlinker OpenSSL_version \
  --pkg-config-path "$(CURDIR)/$(LIBRARY_FOLDER)"
CHECK_TOOL = $(if $(STATIC_RUNTIME)$(PORTABLE),scripts/check-programs -- -- dist/authorizer-local,:)
else
LINK_LIBRARIES = :
CHECK_TOOL = :
endif

# In packages with Swift 5's language mode, #file is the file's path unless this feature is on. In the other modules the
# compiler warns that it is on already, so warnings are no errors here.
HARNESS_RELEASE = env -u CI -u WARNINGS_AS_ERRORS swift build -c release $(STATIC_RUNTIME) $(PATHLESS) \
  --scratch-path $(TOOL_FOLDER) -Xcc "-ffile-prefix-map=$(CURDIR)/$(TOOL_FOLDER)=./.build" \
  -Xswiftc -enable-upcoming-feature -Xswiftc ConciseMagicFile $(HARNESS_LINK) --product authorizer-local

## use build: build the function and the release harness: dist/bootstrap and dist/authorizer-local
build: system-packages
	@if [ ! -d $(TOOL_FOLDER)/release ]; then echo "make build: the first build takes some minutes"; fi
	@$(LINK_LIBRARIES)
	@scripts/build "make build" $(FUNCTION) -- scripts/pins --resolve $(TOOL_FOLDER) $(HARNESS_RELEASE)
	$(call DIST,$(PROGRAMS))
	@cp $(TOOL_FOLDER)/release/authorizer-local dist/.authorizer-local.new
	@mv -f dist/.authorizer-local.new dist/authorizer-local
	@$(CHECK_TOOL)

# Whether a program of dist is missing or older than a source.
OUTDATED = ! ls $(addprefix dist/,authorizer-local $(PROGRAMS)) >/dev/null 2>&1 || \
  [ -n "$$(find Sources Package.swift Makefile -type f -newer dist/authorizer-local | head -n 1)" ]

# A PREFIX of the environment may be that of another program, such as Termux or conda-build.
FOREIGN_PREFIX := $(and $(filter environment,$(origin PREFIX)),$(PREFIX))
PREFIX = /usr/local

## use install: install the tool, functions and completions; builds if necessary (PREFIX=/usr/local, DESTDIR=)
install uninstall: export PREFIX := $(PREFIX)
install uninstall: export DESTDIR := $(DESTDIR)
install: own-prefix
	@scripts/install --check
	@if $(OUTDATED); then \
	if [ "$$(id -u)" = 0 ] && [ ! -O . ]; then \
	echo "error: something is not built, and root would own what it builds in this checkout of another user" >&2; \
	echo "hint: run make build as the owner, then sudo make install again" >&2; exit 69; fi; \
	$(MAKE) --no-print-directory build; fi
	@$(CHECK_TOOL)
	@scripts/install

## use uninstall: remove what make install wrote (PREFIX=/usr/local, DESTDIR=)
uninstall: own-prefix
	@scripts/uninstall

own-prefix: export FOREIGN_PREFIX := $(FOREIGN_PREFIX)
own-prefix:
	@[ -z "$$FOREIGN_PREFIX" ] || { \
	echo "error: PREFIX=$$FOREIGN_PREFIX comes from the environment, and may be meant for another program" >&2; \
	echo "hint: if it is right, repeat it: make install PREFIX=\"\$$PREFIX\"; or unset it" >&2; exit 64; }

## release release: build the files of a release to dist/release from a clean commit (Linux; ARM64_TOOL=, UNPINNED=1 for a trial, REQUIRE=1)
release: system-packages
	@scripts/release

## release check-release: check the files of make release (Linux; Python packages; RELEASE=folder, OTHER=folder, REQUIRE=1)
check-release:
	@scripts/check-release "$(or $(RELEASE),dist/release)" $(if $(OTHER),"$(OTHER)")

## release wheel: pack the tool for Python as dist/packages/*.whl, for pip install; builds if necessary (Linux)
## release npm: pack the tool for Node.js as two files dist/packages/*.tgz, for npm install; builds if necessary (Linux)
wheel npm: export PORTABLE = 1
wheel npm: system-packages
	@[ $(SYSTEM) = Linux ] || { echo "error: these packages are for Linux, this is $(SYSTEM)" >&2; \
	echo "hint: run make $@ on Linux, in the container of docs/deployment.md" >&2; exit 69; }
	@if $(OUTDATED); then $(MAKE) --no-print-directory build; fi
	@$(CHECK_TOOL)
	@scripts/pack-languages $@ dist/packages

## develop bench: measure start and response times, with a minimal C function as baseline (BENCH= for options)
bench: floor build
	dist/authorizer-local bench $(BENCH)

## develop bench-serve: measure serve beside MiniStack, or of another commit, with wrk (Python packages; BENCH=, REQUIRE=1)
bench-serve: build
	@scripts/bench-serve $(BENCH)

## develop instructions: count the instructions of an event with valgrind (Python; CHECK=1 for budgets, TOP=, REQUIRE=1)
instructions: system-packages
	@scripts/instructions $(if $(CHECK),--check) $(if $(TOP),--top $(TOP))

# What scripts/instructions runs: the function with symbols and a map, and the benchmark.
build-instructions:
	@mkdir -p .build/instructions
	$(call BUILD,make instructions,env "AUTHORIZER_LINK_MAP=$(CURDIR)/.build/instructions/bootstrap.map" $(call FUNCTION_PRODUCTS,bootstrap) -- $(HARNESS_BUILD))
	@cp $(FUNCTION_FOLDER)/release/bootstrap .build/instructions/bootstrap

# The baseline of bench: a fully static C program with a constant answer. Darwin has no static executables.
floor:
	@compiler=; for name in cc gcc clang; do \
	if command -v $$name >/dev/null; then compiler=$$name; break; fi; done; \
	[ -n "$$compiler" ] || { echo "error: no C compiler for the floor of the benchmark: cc, gcc or clang" >&2; \
	echo "hint: apt-get install gcc; or authorizer-local bench --no-floor" >&2; exit 69; }; \
	mkdir -p .build && $$compiler -O2 -Wall -Wextra $(if $(filter Linux,$(SYSTEM)),-static) -o .build/floor Tests/Fixtures/floor.c

PYTHON_SCRIPTS = scripts/check-portable scripts/mutate-rules scripts/pack-languages scripts/pictures
LINTED_SCRIPTS = $(filter-out %.json %.pins %.txt $(PYTHON_SCRIPTS),$(wildcard scripts/*)) .ci/run

## develop lint: check code format and shell scripts, and build with warnings as errors
lint: system-packages
	swift format lint --strict --recursive Sources Tests Package.swift
	@for script in $(LINTED_SCRIPTS); do \
	case $$(head -n 1 $$script) in *bash) bash -n $$script ;; *) sh -n $$script ;; esac || exit; done
	@if command -v shellcheck >/dev/null; then \
	shellcheck --severity=warning $(LINTED_SCRIPTS); \
	else echo "make lint: shellcheck is not installed, scripts are parsed only"; fi
	@if command -v python3 >/dev/null; then python3 scripts/pictures --check; fi
	WARNINGS_AS_ERRORS=1 scripts/build "make lint" $(DEBUG_BUILD) --build-tests \
	  --explicit-target-dependency-import-check error
	@scripts/pins --check .build

## develop mutate-rules: check that tests notice wrong versions of compare and prove (Python; RULES= for some of them)
mutate-rules: system-packages
	@scripts/mutate-rules $(RULES)

## develop format: format all Swift code for make lint
format:
	swift format --in-place --recursive Sources Tests Package.swift

## develop vectors: fetch the test vectors of other projects to .vectors (git; VECTORS= for another folder)
vectors:
	@scripts/fetch-vectors $(VECTORS)

# The folder of the vectors: VECTORS=, .vectors, or shared/vectors beside the checkout.
VECTORS_HERE = $(firstword $(wildcard $(or $(VECTORS),.vectors ../shared/vectors)))

## develop conformance: run the test vectors of other projects and write CONFORMANCE.md (VECTORS=)
conformance: system-packages
	@[ -n "$(VECTORS_HERE)" ] || { echo "error: the test vectors are not in $(or $(VECTORS),.vectors)" >&2; \
	echo "hint: make vectors$(if $(VECTORS), VECTORS=$(VECTORS)) fetches them" >&2; exit 69; }
	@scripts/pins --resolve .build
	UPDATE_CONFORMANCE=1 swift test $(DEBUG_FLAGS) --disable-xctest --filter ConformanceTests

## develop docs: generate pages of docs/reference from schema and help
docs:
	@scripts/pins --resolve .build
	UPDATE_REFERENCE=1 swift test $(DEBUG_FLAGS) --disable-xctest --filter ReferencePageTests

## develop clean: remove all build results
clean:
	rm -rf .build dist

## use deps: install missing system packages (INSTALL=1: without a question), fetch the Swift packages
deps: system-packages
	scripts/pins --resolve .build

## use build-AuthorizerFunction: called by `sam build`: copy function and configuration to ARTIFACTS_DIR (ARCH=)
build-AuthorizerFunction: bootstrap
	@$(call SAM_ARTIFACT,bootstrap,authorizer.json)

## use build-IdentityFunction: the same for the identity function, whose file is also named bootstrap
build-IdentityFunction: bootstrap
	@$(call SAM_ARTIFACT,identity,identity.json)

# $(1): the function in dist, $(2): its configuration. Lambda's user is not the files' owner, so the permissions must
# not depend on the umask.
SAM_ARTIFACT = [ $(SYSTEM) = Linux ] || { echo "error: Lambda runs Linux, this is $(SYSTEM)" >&2; \
	echo "hint: run sam build on Linux with the function's architecture" >&2; exit 69; }; \
	[ -n "$$ARTIFACTS_DIR" ] || { echo "error: ARTIFACTS_DIR is not set" >&2; echo "hint: run sam build" >&2; exit 64; }; \
	set -e; mkdir -p "$$ARTIFACTS_DIR"; \
	cp $(DIST_FOLDER)/$(1) "$$ARTIFACTS_DIR/bootstrap"; \
	cp $(DIST_FOLDER)/fetch-keys $(DIST_FOLDER)/call-dynamodb "$$ARTIFACTS_DIR/"; \
	if [ -f template/$(2) ]; then cp template/$(2) "$$ARTIFACTS_DIR/"; fi; \
	if [ -d template/keys ]; then scripts/copy-key-sets template/keys "$$ARTIFACTS_DIR/keys"; fi; \
	chmod -R u=rwX,go=rX "$$ARTIFACTS_DIR"; echo "make: $(1) for $(or $(WANTED_ARCH),$(OWN_ARCH)) in $$ARTIFACTS_DIR"

system-packages: moved-checkout architecture
	@scripts/system-packages

# With ARCH: refuses what cannot be built, and makes the sysroot of another architecture.
architecture: moved-checkout
	@$(if $(GIVEN_ARCH),scripts/architecture "$(WANTED_ARCH)" "$(OWN_ARCH)" "$(SYSTEM)" $(OTHER_COMMANDS))

# A .build folder that was made in another path does not build.
moved-checkout:
	@scripts/moved-checkout
