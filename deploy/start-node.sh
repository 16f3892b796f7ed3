#!/usr/bin/env bash
# Runs one node in the foreground until it is told to stop (Ctrl-C, SIGTERM).
#   deploy/start-node.sh CONFIG              for example deploy/examples/server.toml
# The program is build/release/stint, or STINT_PROGRAM.
set -euo pipefail

if [ $# -ne 1 ]; then
  sed -n '2,4s/^# //p' "$0" >&2
  exit 64
fi
program=${STINT_PROGRAM:-$(dirname "${BASH_SOURCE[0]}")/../build/release/stint}
if [ ! -x "$program" ]; then
  echo "$program does not exist: build it with deploy/build.sh release" >&2
  exit 69
fi
exec "$program" node --config "$1"
