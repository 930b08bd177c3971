#!/bin/sh
# Validates what the writer makes against the official schemas, when these are at hand.
# Usage: schema_test.sh WRITE_SAMPLES TESTDATA [FILE...]   (further files are validated as 1.0.0)
# Exit 77 (skipped) without the schemas (IPROF_SCHEMAS, or shared/schemas beside the checkout) or check-jsonschema.
set -eu
write_samples=$1
testdata=$2
shift 2
root=$(cd "$(dirname "$0")/.." && pwd)
schemas=${IPROF_SCHEMAS:-$root/../shared/schemas}
if [ ! -f "$schemas/iprof-v1.0.0.schema.json" ]; then
  echo "skipped: no schemas in $schemas (set IPROF_SCHEMAS)"
  exit 77
fi
PATH=${IPROF_CACHE:-$HOME/.cache/iprofagent}/venv/bin:$PATH
if ! command -v check-jsonschema >/dev/null 2>&1; then
  echo "skipped: check-jsonschema is not installed"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$write_samples" "$folder" 200
for version in 1.0.0 1.1.0; do
  check-jsonschema --schemafile "$schemas/iprof-v$version.schema.json" "$folder"/random-*-$version.json
done
check-jsonschema --schemafile "$schemas/iprof-v1.0.0.schema.json" "$testdata"/*.json "$@"
# The check itself must be able to fail.
printf '{"version":"1.0.0","types":[],"methods":[],"callCountProfiles":[{"ctx":"1:5","records":[1]}]}' >"$folder/bad.json"
if check-jsonschema --schemafile "$schemas/iprof-v1.0.0.schema.json" "$folder/bad.json" >/dev/null 2>&1; then
  echo "the schema accepts a call context that is not at bci 0: the validation does not work"
  exit 1
fi
