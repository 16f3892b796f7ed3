#!/usr/bin/env bash
# Shows stint at work: installs what it needs, builds it, starts a server and two workers, lets them compute the
# SHA-256 sum of every source file of this repository, checks each result, and stops all it started.
# STINT_PROGRAM names a program that is built already: then nothing is installed or built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly queue=checksums workers=(alpha beta) most_seconds=120
started=()   # process ids, to be stopped in the opposite order
folder=

say() { printf '  %-10s %s\n' "$1" "$2"; }

fail() {
  printf '\nquickstart failed: %s\n' "$1" >&2
  for log in "$folder"/*.log; do
    [ -s "$log" ] || continue
    printf -- '--- the end of %s\n' "${log##*/}" >&2
    tail -n 15 "$log" | cut -c 1-300 >&2
  done
  exit 1
}

stop_all() {
  local pid at
  for ((at = ${#started[@]} - 1; at >= 0; --at)); do
    pid=${started[at]}
    kill -TERM "$pid" 2>/dev/null || continue
    for _ in {1..100}; do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  started=()
}

clean_up() {
  stop_all
  if [ -n "$folder" ]; then rm -rf "$folder"; fi
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Starts stint in the background with its output in a log: start NAME ARGUMENT...
start() {
  local name=$1
  shift
  "$program" "$@" >"$folder/$name.log" 2>&1 </dev/null &
  started+=($!)
}

# A port where nobody listens, below those that the system gives to connections.
free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 12000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo "$port"
}

source_files() {
  find . \( -name .git -o -name build -o -name __pycache__ \) -prune -o -type f \
    \( -name '*.cpp' -o -name '*.hpp' -o -name '*.py' -o -name '*.sh' -o -name '*.md' -o -name '*.txt' -o -name '*.toml' \) \
    -print | LC_ALL=C sort
}

completed_jobs() { "$program" status --json | tr -d ' \n' | sed -n 's/.*"completed":\([0-9]*\).*/\1/p'; }

# A bar that grows in place on a terminal; elsewhere a line a second.
show_progress() {
  local done_jobs=$1 all=$2 width=40
  if [ -t 1 ]; then
    local filled=$((done_jobs * width / all)) bar
    printf -v bar '%*s' "$filled" ''
    printf '\r  %-10s [%-*s] %d of %d' progress "$width" "${bar// /#}" "$done_jobs" "$all"
  elif [ "$SECONDS" != "${shown_at:-}" ] || [ "$done_jobs" -eq "$all" ]; then
    say progress "$done_jobs of $all"
    shown_at=$SECONDS
  fi
}

echo "stint quickstart"

if [ -n "${STINT_PROGRAM:-}" ]; then
  program=$STINT_PROGRAM
else
  deploy/install-packages.sh
  echo "build: the first one takes some minutes"
  deploy/build.sh release stint
  program=$PWD/build/release/stint
fi
version=$("$program" version) || fail "$program does not run"
say program "$version"

folder=$(mktemp -d "${TMPDIR:-/tmp}/stint-quickstart.XXXXXX")
STINT_SERVER=tcp://127.0.0.1:$(free_port)
export STINT_SERVER

start server node --front-door "$STINT_SERVER" --events "tcp://127.0.0.1:$(free_port)" --db "$folder/stint.db"
"$program" ping --wait 20s >"$folder/ping.log" 2>&1 || fail "the server does not answer"
say server "$STINT_SERVER"

# The payload of a job is the path of a file: xargs reads it and runs sha256sum on it.
for worker in "${workers[@]}"; do
  start "$worker" work --name "$worker" --queue "$queue:4" --handler 'checksum=xargs sha256sum' --grace 5s
done
say workers "${#workers[@]} processes (${workers[*]}), each up to 4 jobs at once"

source_files >"$folder/files"
# The paths of this repository need no escaping in JSON.
sed 's|.*|{"queue": "'"$queue"'", "handler": "checksum", "payload": "&"}|' "$folder/files" >"$folder/jobs.jsonl"
"$program" enqueue --file "$folder/jobs.jsonl" >"$folder/ids" 2>"$folder/enqueue.log" || fail "enqueue was refused"
jobs=$(wc -l <"$folder/ids")
if [ "$jobs" -eq 0 ] || [ "$jobs" -ne "$(wc -l <"$folder/files")" ]; then
  fail "not one job for each source file"
fi
say enqueued "$jobs jobs, one for each source file"

SECONDS=0
until done_jobs=$(completed_jobs) && [ "${done_jobs:-0}" -ge "$jobs" ]; do
  show_progress "${done_jobs:-0}" "$jobs"
  [ "$SECONDS" -lt "$most_seconds" ] || fail "only ${done_jobs:-0} of $jobs jobs were done within $most_seconds seconds"
  sleep 0.2
done
show_progress "$done_jobs" "$jobs"
[ ! -t 1 ] || echo

# What a job's handler printed: one line of sha256sum.
result_of() { "$program" job show "$1" --json | sed -n 's/^ *"result": "\([^"\\]*\)\\n".*/\1/p'; }
while read -r id; do
  result_of "$id" || fail "job $id cannot be shown"
done <"$folder/ids" >"$folder/results"
xargs sha256sum <"$folder/files" >"$folder/expected"
diff "$folder/expected" "$folder/results" >"$folder/difference.log" || fail "results differ from sha256sum's own"
say checked "$jobs of $jobs results equal what sha256sum says here"

stop_all
say stopped "server and workers"

cat <<END

It works. The same by hand, in three terminals:
  build/release/stint node
  build/release/stint work --queue default:4 --handler 'checksum=sha256sum'
  build/release/stint enqueue checksum 'hello'
All tests: deploy/test.sh
END
