#!/bin/sh
# Validates what the writer makes against the official schemas, when these are at hand.
# Usage: schema_test.sh WRITE_SAMPLES TESTDATA
# Exit 77 (skipped) without the schemas (IPROF_SCHEMAS, or shared/schemas beside the checkout) or the validator, which
# scripts/schema-check puts into the cache.
set -eu
write_samples=$1
testdata=$2
root=$(cd "$(dirname "$0")/.." && pwd)
schemas=${IPROF_SCHEMAS:-$root/../shared/schemas}
if [ ! -f "$schemas/iprof-v1.0.0.schema.json" ]; then
  echo "skipped: no schemas in $schemas (set IPROF_SCHEMAS)"
  exit 77
fi
if ! command -v check-jsonschema >/dev/null 2>&1; then
  status=0
  "$root/scripts/schema-check" "$testdata/fib.json" || status=$?
  [ "$status" -eq 0 ] || exit "$status"
  for bin in "${IPROF_CACHE:-$HOME/.cache/iprofagent}"/check-jsonschema-*/bin; do PATH=$bin:$PATH; done
fi
validate() {
  version=$1
  shift
  check-jsonschema --schemafile "$schemas/iprof-v$version.schema.json" "$@"
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$write_samples" "$folder" 200 official
for version in 1.0.0 1.1.0; do
  validate "$version" "$folder"/random-*-"$version.json"
done
validate 1.0.0 "$testdata"/*.json
# The validation itself must be able to fail.
printf '{"version":"1.0.0","types":[],"methods":[],"callCountProfiles":[{"ctx":"1:5","records":[1]}]}' >"$folder/bad.json"
if validate 1.0.0 "$folder/bad.json" >/dev/null 2>&1; then
  echo "a call context that is not at bci 0 passes: the validation does not work"
  exit 1
fi
