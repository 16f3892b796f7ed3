#!/usr/bin/env bash
# Shows stint at work: installs what it needs, builds it, starts a cluster (a storage node, two limiter nodes, two
# workers) with a queue that is limited to 20 starts a second, lets it compute the SHA-256 sum of every source file of
# this repository, checks each result and the limit, and stops all it started.
# STINT_PROGRAM names a program that is built already: then nothing is installed or built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly queue=checksums rate=20 burst=5 most_seconds=180
tail_pid=
is_up=
folder=

say() { printf '  %-10s %s\n' "$1" "$2"; }

fail() {
  printf '\nquickstart failed: %s\n' "$1" >&2
  for log in "$folder"/*.log "$folder"/cluster/*.log; do
    [ -s "$log" ] || continue
    printf -- '--- the end of %s\n' "${log##*/}" >&2
    tail -n 15 "$log" | cut -c 1-300 >&2
  done
  exit 1
}

cluster() {
  STINT_PROGRAM=$program deploy/local-cluster.sh "$1" --folder "$folder/cluster" --port "$port" --workers 2 \
    --worker "$folder/worker.toml" --server "$folder/server.toml"
}

stop_all() {
  if [ -n "$tail_pid" ]; then
    kill -TERM "$tail_pid" 2>/dev/null || true
    wait "$tail_pid" 2>/dev/null || true
    tail_pid=
  fi
  if [ -n "$is_up" ]; then cluster down >"$folder/down.log" 2>&1 || true; fi
  is_up=
}

clean_up() {
  stop_all
  if [ -n "$folder" ]; then rm -rf "$folder"; fi
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# The first of four ports where nobody listens, below those that the system gives to connections.
free_ports() {
  local first at
  while :; do
    first=$((20000 + RANDOM % 12000))
    for at in 0 1 2 3; do
      (exec 3<>"/dev/tcp/127.0.0.1/$((first + at))") 2>/dev/null && continue 2
    done
    break
  done
  echo "$first"
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
port=$(free_ports)
export STINT_SERVER=tcp://127.0.0.1:$port

cat >"$folder/server.toml" <<END
[queues.$queue]
rate = $rate
burst = $burst
END
# The payload of a job is the path of a file: xargs reads it and runs sha256sum on it.
cat >"$folder/worker.toml" <<END
[worker]
queues = { $queue = 4 }
grace = "5s"

[worker.handlers.checksum]
command = ["xargs", "sha256sum"]
END
is_up=1
cluster up >"$folder/up.log" 2>&1 || fail "the cluster does not come up"
say cluster "a storage node at $STINT_SERVER, two limiter nodes, two workers with up to 4 jobs at once each"
say limit "queue $queue: $rate starts a second, at most $burst at once"

source_files >"$folder/files"
# The paths of this repository need no escaping in JSON.
sed 's|.*|{"queue": "'"$queue"'", "handler": "checksum", "payload": "&"}|' "$folder/files" >"$folder/jobs.jsonl"
"$program" enqueue --file "$folder/jobs.jsonl" >"$folder/ids" 2>"$folder/enqueue.log" || fail "enqueue was refused"
jobs=$(wc -l <"$folder/ids")
if [ "$jobs" -eq 0 ] || [ "$jobs" -ne "$(wc -l <"$folder/files")" ]; then
  fail "not one job for each source file"
fi
say enqueued "$jobs jobs, one for each source file"

"$program" tail --from 0 --queue "$queue" --event started --json >"$folder/starts.jsonl" 2>"$folder/tail.log" &
tail_pid=$!

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

# The server's own stamps of the starts. With f(i) = i - rate * t(i), the worst span is the one over which f grows most.
until [ "$(wc -l <"$folder/starts.jsonl")" -ge "$jobs" ]; do
  [ "$SECONDS" -lt "$most_seconds" ] || fail "not every start is in the log of events"
  sleep 0.1
done
sed -n 's/.*"at_ms": *\([0-9]*\).*/\1/p' "$folder/starts.jsonl" | sort -n |
  awk -v rate="$rate" -v burst="$burst" '
    { t[NR] = $1 / 1000 }
    END {
      for (i = 1; i <= NR; ++i) {
        f = i - rate * (t[i] - t[1])
        if (i == 1 || f < least) { least = f; from = i }
        if (i == 1 || f - least > worst) { worst = f - least; first = from; last = i }
      }
      span = t[last] - t[first]
      printf "%d starts in %.2f s: %.2f a second\n", NR, t[NR] - t[1], (NR - burst) / (t[NR] - t[1])
      printf "%d starts within %.3f s, where the limit allows %.2f\n", last - first + 1, span, burst + rate * span
      # The stamps are whole milliseconds.
      exit last - first + 1 > burst + rate * (span + 0.001)
    }' >"$folder/limit" && held=1 || held=
say measured "$(sed -n 1p "$folder/limit")"
say "worst span" "$(sed -n 2p "$folder/limit")"
[ -n "$held" ] || fail "the limit was exceeded"

stop_all
say stopped "the whole cluster"

cat <<END

It works. The same by hand, in three terminals:
  build/release/stint node
  build/release/stint work --queue default:4 --handler 'checksum=sha256sum'
  build/release/stint enqueue checksum 'hello'
  build/release/stint limit set handler checksum --max 3 --window 10s
All tests: deploy/test.sh
END
