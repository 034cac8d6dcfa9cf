#!/usr/bin/env bash
# Fuzz every target of the module for the time given (default 60s), as many at once as there are processors, each with
# one worker: test/fuzz.sh 10s
set -euo pipefail
cd "$(dirname "$0")/.."

# one FILE:TARGET TIME LOGS
one() {
  local file=${1%%:*} target=${1##*:} log=$3/${1##*/}
  # Inputs that reach new code are kept as they are: making each as short as can be would take all the time.
  if go test "./$(dirname "$file")" -run '^$' -fuzz "^$target\$" -fuzztime "$2" -fuzzminimizetime 1x -parallel 1 >"$log" 2>&1; then
    echo "$target ($(dirname "$file")): $(grep -oE 'execs: [0-9]+' "$log" | tail -1)"
  # go.dev/issue/75804: before Go 1.27 a run may end at its time with this complaint, and with no input that failed.
  elif grep -q '^    context deadline exceeded$' "$log" && ! grep -q 'Failing input written' "$log"; then
    echo "$target ($(dirname "$file")): ended at its time, no input failed"
  else
    echo "== $target ($(dirname "$file"))"
    cat "$log"
    # What failed is printed, so that whoever reads this alone can make a test of it.
    grep -oE 'testdata/fuzz/\S+' "$log" | sort -u | while read -r input; do cat "$(dirname "$file")/$input"; done
    return 1
  fi
}

case ${1:-} in
one) shift && one "$@" ;;
*)
  logs=$(mktemp -d)
  trap 'rm -rf "$logs"' EXIT
  targets=$(grep -roE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' internal test | sed 's/func //')
  [ -n "$targets" ] || { echo "no fuzz target found"; exit 1; }
  xargs -P "$(getconf _NPROCESSORS_ONLN)" -I{} "$0" one {} "${1:-60s}" "$logs" <<<"$targets"
  echo "$(wc -l <<<"$targets") fuzz targets ran without a failure"
  ;;
esac
