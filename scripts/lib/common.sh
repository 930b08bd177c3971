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

# Prints a Python command that has pip: the python3 of PATH if it has one, else a venv in the cache
# (Debian's own python3 comes without pip, but python3-venv can make one).
python_with_pip() {
  if python3 -m pip --version >/dev/null 2>&1; then
    echo python3
    return
  fi
  local venv=$CACHE/pip-venv
  if [ ! -x "$venv/bin/pip" ]; then
    rm -rf "$venv"
    quietly "python3 can neither run pip nor make a venv: install python3-venv (scripts/install-deps does)." \
      python3 -m venv "$venv"
  fi
  echo "$venv/bin/python"
}
