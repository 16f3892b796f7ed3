#!/usr/bin/env bash
# Installs what is needed, builds the simulator and lets storms rage over a simulated stint.
#   deploy/simulate.sh [OPTION...]        those of stint_sim (--help); without any: two minutes
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

deploy/install-packages.sh
deploy/build.sh release stint_sim
[ $# -gt 0 ] || set -- --minutes 2
exec build/release/stint_sim "$@"
