#!/usr/bin/env bash
# Installs what is needed, builds everything and runs all tests.
#   deploy/test.sh [PRESET [CTEST OPTION...]]        without a preset: release
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
[ $# -eq 0 ] || shift

deploy/install-packages.sh
deploy/build.sh "$preset"
if ctest --preset "$preset" --parallel 2 --no-tests=error "$@"; then
  echo "stint: all tests of '$preset' passed"
else
  status=$?
  echo "stint: tests of '$preset' FAILED; their output is above and in build/$preset/Testing/Temporary/LastTest.log" >&2
  exit "$status"
fi
