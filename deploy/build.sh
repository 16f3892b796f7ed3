#!/usr/bin/env bash
# Builds stint into build/PRESET.
#   deploy/build.sh PRESET [TARGET...]       presets: release, dev, asan, tsan; without a target: everything
# STINT_WARNINGS_AS_ERRORS=ON makes a compiler warning an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ $# -lt 1 ]; then
  sed -n '2,4s/^# //p' "$0" >&2
  exit 64
fi
preset=$1
shift

options=("-DSTINT_WARNINGS_AS_ERRORS=${STINT_WARNINGS_AS_ERRORS:-OFF}")
if command -v ccache >/dev/null; then
  options+=("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
fi

# A compiler takes up to 1.5 GiB: no more of them at once than the memory carries.
by_memory=$(($(awk '/^MemAvailable:/ {print $2}' /proc/meminfo) / 1500000))
jobs=$(nproc)
[ "$jobs" -le "$by_memory" ] || jobs=$by_memory
[ "$jobs" -ge 1 ] || jobs=1

cmake --preset "$preset" "${options[@]}" -Wno-dev >/dev/null
cmake --build --preset "$preset" --parallel "$jobs" ${1:+--target "$@"}
