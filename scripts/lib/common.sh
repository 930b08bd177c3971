# Sourced by the scripts beside this folder: where things are, and how a script says that it cannot go on.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
CACHE=${IPROF_CACHE:-$HOME/.cache/iprofagent}

# One sentence on stderr, then out.
fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}

note() { echo "${0##*/}: $*" >&2; }

# From here to the end of the script nobody else changes the cache: tests run side by side.
lock_cache() {
  mkdir -p "$CACHE"
  exec 9>"$CACHE/.lock"
  flock 9
}

# Runs a command quietly; on failure shows the end of what it said and one closing sentence.
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

# What scripts/pins says of a name from PyPI: PROJECT==VERSION.
pin() { sed -n "s/^$1 *pypi:\([^ ]*\) .*/\1/p" "$ROOT/scripts/pins"; }
