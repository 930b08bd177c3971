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


class Schemas:
    """The official schemas in a folder. Each is read once."""

    def __init__(self, folder):
        self._folder = folder
        self._validators = {}

    def of(self, document):
        """The schema of the version of a profile."""
        version = str(document.get("version", "")) if isinstance(document, dict) else ""
        own = self._folder / f"iprof-v{'.'.join(version.split('.')[:2])}.0.schema.json"
        return own if own.exists() else self._folder / "iprof-v1.0.0.schema.json"

    def violations(self, document, schema=None):
        """What a document breaks of a schema, by default of that of its version."""
        schema = schema or self.of(document)
        if schema not in self._validators:
            self._validators[schema] = jsonschema_rs.validator_for(json.loads(schema.read_text()))
        found = []
        for error in self._validators[schema].iter_errors(document):
            if len(found) == SHOWN:
                return [*found, "and more"]
            place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.instance_path)
            found.append(f"${place}: {error.message[:300]}")
        return found


def refused_by_reference(schema, data):
    with tempfile.NamedTemporaryFile(suffix=".json") as plain:
        plain.write(data)
        plain.flush()
        tool = pathlib.Path(sys.executable).parent / "check-jsonschema"
        done = subprocess.run([tool, "--schemafile", schema, plain.name], capture_output=True, text=True, check=False)
        return (done.stdout + done.stderr)[-3000:] if done.returncode else ""


def main(folder, arguments):
    reference = arguments[0] == "--reference"
    other_schema = pathlib.Path(arguments[1]) if arguments[0] == "--schema" else None
    schemas = Schemas(folder)
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
        schema = other_schema or schemas.of(document)
        wrong = schemas.violations(document, schema)
        refused = refused_by_reference(schema, data) if reference else ""
        if wrong or refused:
            status = 1
            print(f"{name} does not follow {schema.name}:", *wrong, refused, sep="\n  ")
        if reference and bool(wrong) != bool(refused):
            print(f"{name}: the two validators do not agree")
    return status


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:]))
