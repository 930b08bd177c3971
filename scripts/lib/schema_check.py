"""Validates profiles against the official schemas; scripts/schema-check calls it with a Python that has the validators.

  schema_check.py SCHEMAS [--reference | --schema SCHEMA] FILE ...

--reference: also with check-jsonschema, which takes 1.5 s for each megabyte, too long for every profile of a test run.
"""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema_rs

SHOWN = 20  # violations of one profile


def schema_of(schemas, document):
    version = str(document.get("version", "")) if isinstance(document, dict) else ""
    return schemas / f"iprof-v{'1.1.0' if version.startswith('1.1.') else '1.0.0'}.schema.json"


def violations(validator, document):
    for number, error in enumerate(validator.iter_errors(document)):
        if number == SHOWN:
            yield "and more"
            return
        place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.instance_path)
        yield f"${place}: {error.message[:300]}"


def refused_by_reference(schema, data):
    with tempfile.NamedTemporaryFile(suffix=".json") as plain:
        plain.write(data)
        plain.flush()
        tool = pathlib.Path(sys.executable).parent / "check-jsonschema"
        done = subprocess.run([tool, "--schemafile", schema, plain.name], capture_output=True, text=True, check=False)
        return (done.stdout + done.stderr)[-3000:] if done.returncode else ""


def main(schemas, arguments):
    reference = arguments[0] == "--reference"
    other_schema = pathlib.Path(arguments[1]) if arguments[0] == "--schema" else None
    validators = {}
    status = 0
    for name in arguments[1 if reference else 2 if other_schema else 0:]:
        data = pathlib.Path(name).read_bytes()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        try:
            document = json.loads(data)
        except ValueError as error:
            print(f"{name} is not JSON: {error}")
            status = 1
            continue
        schema = other_schema or schema_of(schemas, document)
        if schema not in validators:
            validators[schema] = jsonschema_rs.validator_for(json.loads(schema.read_text()))
        wrong = list(violations(validators[schema], document))
        refused = refused_by_reference(schema, data) if reference else ""
        if wrong or refused:
            status = 1
            print(f"{name} does not follow {schema.name}:", *wrong, refused, sep="\n  ")
        if reference and bool(wrong) != bool(refused):
            print(f"{name}: the two validators do not agree")
    return status


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:]))
