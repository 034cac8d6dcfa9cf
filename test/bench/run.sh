#!/usr/bin/env bash
# Measure every budget: make bench
set -euo pipefail
cd "$(dirname "$0")/../.."
go run ./test/bench "$@"
