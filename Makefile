# One line of help a target: make help.
GO ?= go
BIN := mcpassay
VERSION ?= $(shell git describe --tags --always 2>/dev/null || echo 0.1.0)
FUZZTIME ?= 60s

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build the binary
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o $(BIN) ./cmd/mcpassay

gen: ## write what is generated: the rule list, the client table, docs
	$(GO) generate ./...

test: ## run the tests
	$(GO) test -timeout 30m ./...

lint: ## gofmt, go vet on three systems, staticcheck
	@test -z "$$(gofmt -l cmd internal test)" || { gofmt -l cmd internal test; echo "gofmt would change these"; exit 1; }
	for os in linux darwin windows; do GOOS=$$os $(GO) vet ./... || exit 1; done
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

check: lint test ## all that CI runs

fuzz: ## fuzz every target, FUZZTIME each
	test/fuzz.sh $(FUZZTIME)

bench: ## measure every budget
	test/bench/run.sh

dist: ## cross-compile for Linux, macOS and Windows
	@for t in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do \
	  os=$${t%/*} arch=$${t#*/} ext=; [ $$os = windows ] && ext=.exe; \
	  CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -ldflags '-s -w' -o dist/$(BIN)-$$os-$$arch$$ext ./cmd/mcpassay || exit 1; done
	cp LICENSE NOTICE THIRD_PARTY_LICENSES dist/

.PHONY: help build gen test lint check fuzz bench dist
