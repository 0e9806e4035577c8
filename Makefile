SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
FUZZTIME ?= 10s

# Use the Go version that go.mod names. If it can't be downloaded, use the installed one.
ifndef GOTOOLCHAIN
GOTOOLCHAIN := $(shell GOTOOLCHAIN=auto go version >/dev/null && echo auto || echo local)
endif
export GOTOOLCHAIN

# One set of flags for everything: each package is compiled once. Only the tests with the race detector differ: they
# need cgo.
export CGO_ENABLED := 0
export GOFLAGS := $(strip $(shell go env GOFLAGS) -trimpath)

GOLANGCI_LINT_VERSION := v2.13.2
GOVULNCHECK_VERSION := v1.1.4
GOLANGCI_LINT := bin/golangci-lint-$(GOLANGCI_LINT_VERSION)
GOVULNCHECK := bin/govulncheck-$(GOVULNCHECK_VERSION)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## build everything and serve on 127.0.0.1:8080
	@scripts/build
	@exec bin/parley serve

.PHONY: web
web: ## build the web client into web/dist, if Node is installed
	@scripts/web build

.PHONY: build
build: ## build the static binary bin/parley
	go build -ldflags '-s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)' -o bin/parley ./cmd/parley

.PHONY: openapi
openapi: ## write openapi.json, the document of the API, and docs/api.md, its reference
	go run ./cmd/openapi >openapi.json.new && mv openapi.json.new openapi.json
	go run ./cmd/openapi reference >docs/api.md.new && mv docs/api.md.new docs/api.md

.PHONY: settings
settings: ## write docs/settings.md, the table of the settings, in both languages
	go run ./cmd/settings >docs/settings.md.new && mv docs/settings.md.new docs/settings.md
	go run ./cmd/settings zh-CN >docs/settings.md.new && mv docs/settings.md.new docs/settings.zh-CN.md

.PHONY: vet-systems
vet-systems: ## run go vet for all systems that releases are for
	@exec scripts/vet-systems

RELEASE = go run ./release --version '$(VERSION)' --commit '$(COMMIT)' --time "$$(git log -1 --format=%ct)"

.PHONY: release
release: web vet-systems ## build the archives of a release for Linux, macOS and Windows into dist/
	@$(RELEASE)

.PHONY: release-check
release-check: ## build a release twice, in different folders, and compare the bytes
	@scripts/release-check '$(VERSION)' '$(COMMIT)'

.PHONY: image
image: ## build the container image parley with docker or podman
	@VERSION='$(VERSION)' exec scripts/image build

.PHONY: image-test
image-test: ## build the image, run it and test it
	@VERSION='$(VERSION)' exec scripts/image test

.PHONY: test
test: ## run the tests, on SQLite, PostgreSQL and an S3 server, in a browser, and with the race detector
	@exec scripts/test

.PHONY: test-go
test-go: ## run the quick tests of Go, on SQLite and folders only, without the race detector
	@exec scripts/test-go

.PHONY: test-all
test-all: ## run also what is slow and rare: all tests on all databases, kills, attacks, fuzzing and a mixed load
	@scripts/test all
	@$(MAKE) --no-print-directory torture torture-postgres siege siege-postgres fuzz
	@SOAK_MINUTES=$${SOAK_MINUTES:-3} $(MAKE) --no-print-directory soak soak-postgres

.PHONY: lint
lint: $(GOLANGCI_LINT) ## run the linters, which also check the layers
	$(GOLANGCI_LINT) run ./...
	@scripts/web lint

.PHONY: fmt
fmt: $(GOLANGCI_LINT) ## format the code
	$(GOLANGCI_LINT) fmt ./...
	@scripts/web fmt

.PHONY: fmt-check
fmt-check: $(GOLANGCI_LINT) ## show what `make fmt` would change; fail if there is anything
	$(GOLANGCI_LINT) fmt --diff ./...

.PHONY: vet
vet: ## run go vet
	go vet ./...

.PHONY: vuln
vuln: $(GOVULNCHECK) ## look for known vulnerabilities in the dependencies
	scripts/vuln $(GOVULNCHECK)

.PHONY: check
check: fmt-check vet lint vuln test ## check format, vet, lint, vulnerabilities and tests

.PHONY: fuzz
fuzz: ## run every fuzz target, or those that match FUZZ, for FUZZTIME (10s)
	@exec scripts/fuzz '$(FUZZTIME)' '$(FUZZ)'

# TORTURE_CYCLES, TORTURE_CHANGES of a cycle, and TORTURE_SEED control the torture tests.
TORTURE := scripts/isolate env TORTURE_CYCLES="$${TORTURE_CYCLES:-50}" TORTURE_CHANGES="$${TORTURE_CHANGES:-400}" \
	go test -count=1 -timeout=0 -v ./torture -run

# TORTURE_KILLS is how often moves of data are killed in each direction.
TORTURE_MOVE := scripts/isolate env TORTURE_KILLS="$${TORTURE_KILLS:-100}" \
	go test -count=1 -timeout=0 -v ./internal/move -run

.PHONY: torture
torture: ## kill -9 the server under load TORTURE_CYCLES (50) times, and moves of data, and look for lost data
	@$(TORTURE) '^TestNothingAcknowledgedIsLostByKills$$/^sqlite$$'
	@$(TORTURE_MOVE) '^TestAMove(SurvivesKills|GoesOnAfterEveryStatementOfTheSchema)$$/^sqlite(_to_sqlite)?$$'

.PHONY: torture-postgres
torture-postgres: ## the same on a temporary PostgreSQL
	@scripts/postgres run $(TORTURE) '^TestNothingAcknowledgedIsLostByKills$$/^postgres$$'
	@scripts/postgres run $(TORTURE_MOVE) '^TestAMove(SurvivesKills|GoesOnAfterEveryStatementOfTheSchema)$$/postgres'

SOAK := scripts/isolate env SOAK_MINUTES="$${SOAK_MINUTES:-20}" go test -count=1 -timeout=0 -v ./torture -run

.PHONY: soak
soak: ## run a mixed load for SOAK_MINUTES (20); fail if memory grows or a request fails
	@$(SOAK) '^TestMixedLoadLeavesNothingBehind$$/^sqlite$$'

.PHONY: soak-postgres
soak-postgres: ## the same on a temporary PostgreSQL
	@exec scripts/postgres run $(SOAK) '^TestMixedLoadLeavesNothingBehind$$/^postgres$$'

# SIEGE_BINARY names another program to attack, such as an earlier release.
SIEGE := scripts/isolate env SIEGE=1 go test -count=1 -timeout=0 -parallel=1 -v ./torture -run

.PHONY: siege
siege: ## attack the server as strangers and greedy users do; fail if others are not served
	@$(SIEGE) '^TestSiege/^sqlite$$'

.PHONY: siege-postgres
siege-postgres: ## the same on a temporary PostgreSQL
	@exec scripts/postgres run $(SIEGE) '^TestSiege/^postgres$$'

# BENCH holds further flags of bench, such as --full or --only send; see bin/bench --help.
.PHONY: bench
bench: build bin/bench ## measure speed and size, in three minutes (BENCH=--full: in fifteen)
	@exec bin/bench $(BENCH)

.PHONY: bench-postgres
bench-postgres: build bin/bench ## the same on a temporary PostgreSQL (FSYNC=off: without fsync)
	@PARLEY_TEST_DATABASE_FSYNC=$(or $(FSYNC),on) exec scripts/postgres run \
		bash -c 'exec bin/bench --database "$$PARLEY_TEST_DATABASE_URL" $(BENCH)'

.PHONY: bench-compare
bench-compare: build bin/bench ## measure the revision BASE and the working tree in turns
	@test -n '$(BASE)' || { echo 'usage: make bench-compare BASE=revision' >&2; exit 2; }
	@base=$$(scripts/build-revision '$(BASE)') && exec bin/bench $(BENCH) "$$base" bin/parley

.PHONY: bench-retrieval
bench-retrieval: ## count the questions whose answer is found (EMBED=URL EMBED_MODEL=name: by meaning too)
	@PARLEY_TEST_EMBED_URL='$(EMBED)' PARLEY_TEST_EMBED_MODEL='$(EMBED_MODEL)' exec scripts/isolate \
		go test -count=1 -timeout=2h -v -run '^TestRetrieval$$' ./internal/library

.PHONY: bin/bench
bin/bench:
	@go build -o $@ ./bench

.PHONY: readers
readers: ## drop 10,000 open streams at once and look for anything left behind
	@PARLEY_TEST_READERS=10000 exec scripts/isolate \
		go test -count=1 -v -run '^TestReadersLeaveNothingBehind$$' ./cmd/parley

# BROWSER runs a test of ./web/browser.
BROWSER := PARLEY_TEST_BROWSER=required PARLEY_TEST_CHROMIUM="$$(scripts/chromium)" \
	scripts/isolate go test -count=1 -timeout=15m ./web/browser -run

.PHONY: bench-web
bench-web: web ## measure the web client in a browser
	@PARLEY_BENCH_WEB=1 $(BROWSER) '^Test(Streaming)?Speed$$' -v

.PHONY: screenshots
screenshots: web ## take the screenshots of the README
	@mkdir -p docs/images
	@PARLEY_SCREENSHOTS='$(CURDIR)/docs/images' $(BROWSER) '^TestGallery$$'

.PHONY: clean
clean: ## remove built files; data/ stays
	rm -rf bin .cache coverage*

# The file names contain the version. So make installs a new one.
$(GOLANGCI_LINT):
	GOBIN='$(CURDIR)/bin' \
		go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv bin/golangci-lint $@

$(GOVULNCHECK):
	GOBIN='$(CURDIR)/bin' go install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION)
	mv bin/govulncheck $@
