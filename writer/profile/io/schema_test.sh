#!/bin/sh
# Validates the writer's output against the official schemas, if they are available.
# Usage: schema_test.sh WRITE_SAMPLES TESTDATA
# Exit code 77 (skipped) without the schemas or the validators: see scripts/schema-check.
set -eu
write_samples=$1
testdata=$2
check=$(cd "$(dirname "$0")/../../.." && pwd)/scripts/schema-check
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$check" --reference "$testdata"/*.json
"$write_samples" "$folder" 10000 official
"$check" "$folder"/random-*
"$check" --reference "$folder"/random-[0-7]-*
# The validation itself must be able to fail, by both validators.
printf '{"version":"1.0.0","types":[],"methods":[],"callCountProfiles":[{"ctx":"1:5","records":[1]}]}' >"$folder/bad.json"
for way in "" --reference; do
  # shellcheck disable=SC2086  # no argument, or one
  if said=$("$check" $way "$folder/bad.json"); then
    echo "a call context that is not at bci 0 passes: the validation does not work"
    exit 1
  fi
  case $said in *"do not agree"*) echo "$said" && exit 1 ;; esac
done
