#!/usr/bin/env bash
# Measure every budget: make bench
set -euo pipefail
cd "$(dirname "$0")/../.."
go run ./test/bench "$@"
# Work that must grow with its input and no faster: ratios of two runs in one process.
MCPASSAY_BENCH=1 go test -count=1 -run 'Linear' ./internal/secret ./internal/model/launch ./internal/schema ./internal/speech ./test
