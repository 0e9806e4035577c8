SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 10s

GOLANGCI_LINT_VERSION := v2.13.2
GOVULNCHECK_VERSION := v1.1.4
GOLANGCI_LINT := bin/golangci-lint-$(GOLANGCI_LINT_VERSION)
GOVULNCHECK := bin/govulncheck-$(GOVULNCHECK_VERSION)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## build everything and serve on 127.0.0.1:8080
	@exec bin/parley serve

.PHONY: build
build: ## build the static binary bin/parley
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/parley ./cmd/parley

.PHONY: test
test: ## run all tests, with the race detector, on SQLite and on a real PostgreSQL
	@exec scripts/postgres run scripts/test

.PHONY: test-go
test-go: ## run the tests quickly, on SQLite only
	env -u PARLEY_TEST_DATABASE_URL CGO_ENABLED=0 go test -shuffle=on ./...

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
fuzz: ## run every fuzz target for FUZZTIME (10s)
	scripts/fuzz $(FUZZTIME)

.PHONY: bench
bench: ## run the benchmarks
	CGO_ENABLED=0 go run ./bench

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
