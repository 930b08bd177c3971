# Sourced by the scripts: paths, and how a script reports that it cannot continue.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
CACHE=${IPROF_CACHE:-$HOME/.cache/iprofagent}

# Prints a message on stderr and exits.
fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}

note() { echo "${0##*/}: $*" >&2; }

# Locks the cache until the end of the script, because tests run in parallel.
lock_cache() {
  mkdir -p "$CACHE"
  exec 9>"$CACHE/.lock"
  flock 9
}

# Runs a command silently; on failure prints the end of its output and a message.
quietly() {
  local sentence=$1 log
  shift
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    rm -f "$log"
    fail "$sentence"
  fi
  rm -f "$log"
}

# The entry of a PyPI name in scripts/pins: PROJECT==VERSION.
pin() { sed -n "s/^$1 *pypi:\([^ ]*\) .*/\1/p" "$ROOT/scripts/pins"; }
