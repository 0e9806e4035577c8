SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 10s

# The Go that go.mod names has fewer known weaknesses than one at hand may have. Where it
# can't be fetched, the one at hand has to do; make vuln then says what that means.
ifndef GOTOOLCHAIN
GOTOOLCHAIN := $(shell GOTOOLCHAIN=auto go version >/dev/null && echo auto || echo local)
endif
export GOTOOLCHAIN

GOLANGCI_LINT_VERSION := v2.13.2
GOVULNCHECK_VERSION := v1.1.4
GOLANGCI_LINT := bin/golangci-lint-$(GOLANGCI_LINT_VERSION)
GOVULNCHECK := bin/govulncheck-$(GOVULNCHECK_VERSION)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: web build ## build everything and serve on 127.0.0.1:8080
	@exec bin/parley serve

.PHONY: web
web: ## build the web client into web/dist, where Node is there
	@scripts/web build

.PHONY: build
build: ## build the static binary bin/parley
	CGO_ENABLED=0 go build -trimpath -pgo=cmd/parley/parley.pgo -ldflags '-s -w -X main.version=$(VERSION)' -o bin/parley ./cmd/parley

.PHONY: image
image: ## build the container image parley, with docker or podman
	@VERSION='$(VERSION)' exec scripts/image build

.PHONY: image-test
image-test: ## build it, run it and use it
	@VERSION='$(VERSION)' exec scripts/image test

.PHONY: test
test: ## run all tests, with the race detector, on SQLite, a real PostgreSQL and a real S3 store
	@exec scripts/postgres run scripts/s3 run scripts/test

.PHONY: test-go
test-go: ## run the tests quickly, on SQLite and folders only
	env -u PARLEY_TEST_DATABASE_URL -u PARLEY_TEST_S3_URL CGO_ENABLED=0 go test -shuffle=on ./...

.PHONY: lint
lint: $(GOLANGCI_LINT) ## lint, the layers included
	$(GOLANGCI_LINT) run ./...

.PHONY: fmt
fmt: $(GOLANGCI_LINT) ## format the Go code
	$(GOLANGCI_LINT) fmt ./...

.PHONY: fmt-check
fmt-check: $(GOLANGCI_LINT) ## show what `make fmt` would change, and fail if anything
	$(GOLANGCI_LINT) fmt --diff ./...

.PHONY: vet
vet: ## go vet
	CGO_ENABLED=0 go vet ./...

.PHONY: vuln
vuln: $(GOVULNCHECK) ## look for known vulnerabilities in what we use
	scripts/vuln $(GOVULNCHECK)

.PHONY: check
check: fmt-check vet lint vuln test ## all of it: format, vet, lint, vulnerabilities, tests

.PHONY: fuzz
fuzz: ## run every fuzz target (or those that match FUZZ) for FUZZTIME (10s)
	@exec scripts/fuzz '$(FUZZTIME)' '$(FUZZ)'

# The long runs: TORTURE_CYCLES, TORTURE_CHANGES a cycle, TORTURE_SEED.
TORTURE := CGO_ENABLED=0 TORTURE_CYCLES="$${TORTURE_CYCLES:-50}" TORTURE_CHANGES="$${TORTURE_CHANGES:-400}" go test -count=1 -timeout=0 -v -run

.PHONY: torture
torture: ## kill -9 the server under load, TORTURE_CYCLES (50) times, and look for anything lost
	@$(TORTURE) '^TestNothingAcknowledgedIsLostByKills$$/^sqlite$$' ./torture

.PHONY: torture-postgres
torture-postgres: ## the same on a throw-away PostgreSQL
	@exec scripts/postgres run env $(TORTURE) '^TestNothingAcknowledgedIsLostByKills$$/^postgres$$' ./torture

# SOAK_MINUTES of load, then a table by the minute and a verdict.
SOAK := CGO_ENABLED=0 SOAK_MINUTES="$${SOAK_MINUTES:-20}" go test -count=1 -timeout=0 -v -run

.PHONY: soak
soak: ## a mixed load for SOAK_MINUTES (20): memory has to stay flat, and nothing may fail
	@$(SOAK) '^TestMixedLoadLeavesNothingBehind$$/^sqlite$$' ./torture

.PHONY: soak-postgres
soak-postgres: ## the same on a throw-away PostgreSQL
	@exec scripts/postgres run env $(SOAK) '^TestMixedLoadLeavesNothingBehind$$/^postgres$$' ./torture

# BENCH holds further flags of bench, such as --full, --only send or --json FILE; see bin/bench --help.
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

.PHONY: bin/bench
bin/bench:
	@CGO_ENABLED=0 go build -o $@ ./bench

.PHONY: readers
readers: ## drop 10,000 open streams at once and look for anything left behind
	PARLEY_TEST_READERS=10000 CGO_ENABLED=0 go test -count=1 -v -run '^TestReadersLeaveNothingBehind$$' ./cmd/parley

.PHONY: bench-web
bench-web: web ## measure the web client in a real browser
	@PARLEY_BENCH_WEB=1 PARLEY_TEST_BROWSER=required PARLEY_TEST_CHROMIUM="$$(scripts/chromium)" CGO_ENABLED=0 go test -count=1 -timeout=15m -run '^TestSpeed$$' ./web/browser

.PHONY: screenshots
screenshots: web ## take the pictures of the README anew
	@mkdir -p docs/images
	@PARLEY_SCREENSHOTS='$(CURDIR)/docs/images' PARLEY_TEST_BROWSER=required PARLEY_TEST_CHROMIUM="$$(scripts/chromium)" CGO_ENABLED=0 go test -count=1 -run '^TestGallery$$' ./web/browser

.PHONY: clean
clean: ## remove what was built; data/ stays
	rm -rf bin .cache coverage*

# The tools carry their version in their name, so that a new pin is a new file.
$(GOLANGCI_LINT):
	GOBIN='$(CURDIR)/bin' CGO_ENABLED=0 go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv bin/golangci-lint $@

$(GOVULNCHECK):
	GOBIN='$(CURDIR)/bin' CGO_ENABLED=0 go install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION)
	mv bin/govulncheck $@
