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

# "17" from a JDK's release file.
major_of() { sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null; }

# Prints the folder of the JDK 17 that tests are compiled with and run on; fails where there is none.
find_jdk17() {
  local home
  for home in "${JAVA_HOME:-}" /usr/lib/jvm/java-17-openjdk-* /usr/lib/jvm/*; do
    if [ -n "$home" ] && [ -x "$home/bin/javac" ] && [ "$(major_of "$home")" = 17 ]; then
      echo "$home"
      return
    fi
  done
  return 1
}
