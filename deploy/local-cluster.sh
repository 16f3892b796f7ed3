#!/usr/bin/env bash
# A stint cluster on this machine: a storage node, two limiter nodes and some worker nodes, each a process of its own
# with its config, log and pid file in one folder.
#   deploy/local-cluster.sh up      [OPTION...]   starts what is not running, and waits until all of it is ready
#   deploy/local-cluster.sh status  [OPTION...]   says what is running; exits 0 if all of it is, else 69
#   deploy/local-cluster.sh down    [OPTION...]   stops what it started; jobs stay in the folder's database
# Options:
#   --folder DIR     where all of it lives         (build/local-cluster)
#   --port N         the first of four ports       (7621: storage; 7622: events; 7623, 7624: limiters)
#   --workers N      worker nodes                  (2)
#   --worker FILE    TOML, what workers do: [worker] and [worker.handlers...], without `server`
#                    (queue `default`, 4 jobs at once, handler `echo`)
#   --server FILE    TOML to add to the storage node's config: [queues...], [handlers...], [defaults]
# Configs are written by each `up`, for what it starts. The program is build/release/stint, or STINT_PROGRAM.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly here limiters=(limiter-1 limiter-2) most_seconds=30 most_stop_seconds=40
program=${STINT_PROGRAM:-$here/build/release/stint}
folder=$here/build/local-cluster
port=7621
workers=2
worker_file=
server_file=

usage() {
  sed -n '2,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

fail() {
  echo "local-cluster: $2" >&2
  exit "$1"
}

# --- What belongs to it. A pid file holds the process and when it started: a number that was given to another process
# since is not ours. ---

# Nothing: there is no such process, or it has ended and nobody has asked how.
started_at() { sed -n 's/^.*) \([^Z]\)/\1/p' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }

# The process id of a node that runs; nothing: it does not.
pid_of() {
  local pid start
  read -r pid start 2>/dev/null <"$folder/$1.pid" || return 1
  # Without a start it had ended before anybody could look.
  [ -n "$pid" ] && [ -n "$start" ] && [ "$(started_at "$pid")" = "$start" ] || return 1
  echo "$pid"
}

# All nodes, those that were started by an earlier `up` with more workers too.
known_workers() {
  local file number
  for ((number = 1; number <= workers; ++number)); do echo "worker-$number"; done
  for file in "$folder"/worker-*.pid; do
    [ -e "$file" ] || continue
    number=${file##*/worker-}
    number=${number%.pid}
    [ "$number" -gt "$workers" ] && echo "worker-$number"
  done
  return 0
}

# --- Their configs. ---

door_of() {
  case $1 in
    storage) echo "tcp://127.0.0.1:$port" ;;
    limiter-1) echo "tcp://127.0.0.1:$((port + 2))" ;;
    limiter-2) echo "tcp://127.0.0.1:$((port + 3))" ;;
  esac
}

write_cluster() {
  echo
  echo '[cluster]'
  echo "storage = \"$(door_of storage)\""
  echo "limiters = { limiter-1 = \"$(door_of limiter-1)\", limiter-2 = \"$(door_of limiter-2)\" }"
}

write_node() {
  echo '[node]'
  echo "name = \"$1\""
  echo "roles = [\"$2\"]"
}

write_storage() {
  write_node storage storage
  echo "front_door = \"$(door_of storage)\""
  echo "events = \"tcp://127.0.0.1:$((port + 1))\""
  echo
  echo '[storage]'
  echo "file = \"$folder/stint.db\""
  write_cluster
  if [ -n "$server_file" ]; then
    echo
    cat "$server_file"
  fi
}

write_limiter() {
  write_node "$1" limiter
  echo "front_door = \"$(door_of "$1")\""
  write_cluster
}

write_worker() {
  write_node "$1" worker
  # Any node passes on what is not its own: each worker begins with another one.
  write_cluster
  echo
  if [ -n "$worker_file" ]; then
    cat "$worker_file"
  else
    printf '[worker]\nqueues = { default = 4 }\n\n[worker.handlers.echo]\ncommand = ["cat"]\n'
  fi
}

# --- Starting and stopping. ---

start() {
  local name=$1 role=$2 pid
  if pid=$(pid_of "$name"); then
    echo "  $name runs already (pid $pid)"
    return
  fi
  "write_$role" "$name" >"$folder/$name.toml"
  # A session of its own: the terminal's Ctrl-C is not for it.
  setsid "$program" node --config "$folder/$name.toml" >>"$folder/$name.log" 2>&1 </dev/null &
  pid=$!
  echo "$pid $(started_at "$pid")" >"$folder/$name.pid"
  new+=("$name")
}

# What a node has logged since this start.
new_log_of() { tail -c "+$((${log_sizes[$1]:-0} + 1))" "$folder/$1.log"; }
has_logged() { new_log_of "$1" | grep "$2" >/dev/null; }

# An answer at the door alone may be that of somebody else who had the port first.
is_ready() {
  case $1 in
    worker-*) has_logged "$1" 'welcomed by' ;;
    *) has_logged "$1" " ready node=$1 " && "$program" ping --wait 500ms --server "$(door_of "$1")" >/dev/null 2>&1 ;;
  esac
}

wait_until_ready() {
  local name=$1 deadline=$((SECONDS + most_seconds))
  until is_ready "$name"; do
    if ! pid_of "$name" >/dev/null; then
      new_log_of "$name" | tail -n 5 >&2
      fail 70 "$name has ended; its log is $folder/$name.log; the others go on until \`down\`"
    fi
    [ "$SECONDS" -lt "$deadline" ] ||
      fail 69 "$name was not ready within $most_seconds seconds; its log is $folder/$name.log; all go on until \`down\`"
    sleep 0.1
  done
  echo "  $name is ready (pid $(pid_of "$name"))"
}

up() {
  [ -x "$program" ] || fail 69 "$program does not exist: build it with deploy/build.sh release stint"
  mkdir -p "$folder"
  local name new=()
  declare -A log_sizes
  for name in storage "${limiters[@]}" $(known_workers); do
    log_sizes[$name]=$(stat -c %s "$folder/$name.log" 2>/dev/null || echo 0)
  done
  start storage storage
  for name in "${limiters[@]}"; do start "$name" limiter; done
  for name in $(known_workers); do start "$name" worker; done
  for name in "${new[@]}"; do wait_until_ready "$name"; done
  echo "the cluster is up: STINT_SERVER=$(door_of storage), events at tcp://127.0.0.1:$((port + 1)), files in $folder"
}

stop() {
  local name=$1 pid
  if pid=$(pid_of "$name"); then
    kill -TERM "$pid" 2>/dev/null || true
    local deadline=$((SECONDS + most_stop_seconds))
    while pid_of "$name" >/dev/null && [ "$SECONDS" -lt "$deadline" ]; do sleep 0.1; done
    if pid_of "$name" >/dev/null; then
      kill -KILL "$pid" 2>/dev/null || true
      echo "  $name did not stop in time and was killed"
    else
      echo "  $name stopped"
    fi
  fi
  rm -f "$folder/$name.pid"
}

# Workers first: they finish what they run and say goodbye.
down() {
  local name
  for name in $(known_workers) "${limiters[@]}" storage; do stop "$name"; done
  echo "the cluster is down; its files are in $folder"
}

status() {
  local name pid all=0
  for name in storage "${limiters[@]}" $(known_workers); do
    if pid=$(pid_of "$name"); then
      case $name in
        worker-*) echo "  $name runs (pid $pid)" ;;
        *) echo "  $name runs (pid $pid) at $(door_of "$name")" ;;
      esac
    else
      echo "  $name does not run"
      all=69
    fi
  done
  return "$all"
}

# --- The command line. ---

command=${1:-}
shift || true
while [ $# -gt 0 ]; do
  case $1 in
    --folder | --port | --workers | --worker | --server)
      [ $# -ge 2 ] || fail 64 "$1 needs a value"
      case $1 in
        --folder) folder=$2 ;;
        --port) port=$2 ;;
        --workers) workers=$2 ;;
        --worker) worker_file=$2 ;;
        --server) server_file=$2 ;;
      esac
      shift 2
      ;;
    *) fail 64 "unknown option $1; see: deploy/local-cluster.sh help" ;;
  esac
done
is_number() { [[ $1 =~ ^[0-9]{1,6}$ ]] && [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }
is_number "$port" 1 65532 || fail 64 "--port is 1 to 65532, not $port"
is_number "$workers" 0 100 || fail 64 "--workers is 0 to 100, not $workers"
for file in "$worker_file" "$server_file"; do
  [ -z "$file" ] || [ -r "$file" ] || fail 65 "$file cannot be read"
done
case $folder in /*) ;; *) folder=$PWD/$folder ;; esac

case $command in
  up | down | status) "$command" ;;
  help | --help | -h) usage ;;
  *)
    usage >&2
    exit 64
    ;;
esac
