#!/usr/bin/env bash
# Fuzz every target of the module for the time given (default 60s): test/fuzz.sh 10s
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-60s}
count=0
while IFS=: read -r file target; do
  echo "== $target ($(dirname "$file"))"
  # Inputs that reach new code are kept as they are: making each as short as can be would take all the time.
  go test "./$(dirname "$file")" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 1x
  count=$((count + 1))
done < <(grep -roE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' internal test | sed 's/func //')
[ "$count" -gt 0 ] || { echo "no fuzz target found"; exit 1; }
echo "$count fuzz targets ran without a failure"
