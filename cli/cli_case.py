"""Shared by the tests of the tool: example profiles, and functions that run the tool and read its output.

On import, it reads the paths of the tool and of the folder of generated files from the command line.
"""
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS / "lib"))
sys.dont_write_bytecode = True
from iprofdev import whole_stacks  # noqa: E402

IPROF = os.path.abspath(sys.argv.pop(1))
GENERATED = os.path.abspath(sys.argv.pop(1))
SCHEMA_CHECK = SCRIPTS / "schema-check"
SCHEMA_NOT_HERE = 77

STANDARD = ["boolean", "byte", "short", "char", "int", "float", "long", "double", "void", "java.lang.Object"]


def with_sanitizer():
    """Whether the tool was built with one: it then takes far more memory and time."""
    with open(IPROF, "rb") as f:
        tool = f.read()
    return b"__asan_init" in tool or b"__tsan_init" in tool


def profile(scale=1, version="1.0.0", **tables):
    """Main.main calls Main.loop (bci 5), which calls Circle.area or Square.area (bci 7)."""
    types = [{"id": i, "name": n} for i, n in enumerate(STANDARD)]
    types += [{"id": 10, "name": "a.Main"}, {"id": 11, "name": "a.Circle"}, {"id": 12, "name": "a.Square"}]
    made = {
        "version": version,
        "types": types,
        "methods": [
            {"id": 1, "name": "main", "signature": [10, 8]},
            {"id": 2, "name": "loop", "signature": [10, 8, 4]},
            {"id": 3, "name": "area", "signature": [11, 4]},
            {"id": 4, "name": "area", "signature": [12, 4]},
        ],
        "callCountProfiles": [
            {"ctx": "1:0", "records": [1 * scale]},
            {"ctx": "2:0<1:5", "records": [9 * scale]},
            {"ctx": "3:0<2:7<1:5", "records": [90 * scale]},
        ],
        "conditionalProfiles": [{"ctx": "2:3", "records": [53, 0, 90 * scale, 14, 1, 10 * scale]}],
        "virtualInvokeProfiles": [{"ctx": "2:7", "records": [11, 75 * scale, 12, 25 * scale]}],
        "monitorProfiles": [{"ctx": "0:0", "records": [11, 7 * scale]}],
        "samplingProfiles": [
            {"ctx": "3:2<2:7<1:5", "records": [5 * scale]},
            {"ctx": "2:9<1:5", "records": [2 * scale]},
        ],
    }
    made.update(tables)
    return made


def section(**parts):
    """The extra key iprofagent of a profile."""
    return {"version": 1, **parts}


def events(scale=1, **members):
    """The part "events" of a profile: what MakeExampleEvents (writer/profile/example_profiles.h) makes. Members may be replaced."""
    made = {
        "version": 1,
        "types": ["[B", "a.Lock", "a.Node"],
        "threads": ["main", "pool-*-thread-*"],
        "methods": [["a.Main", "load", "(I)V"], ["a.Main", "main", "([Ljava/lang/String;)V"],
                    ["java.util.Arrays", "copyOf", "([BI)[B"],
                    ["java.util.concurrent.locks.LockSupport", "park", "(Ljava/lang/Object;)V"]],
        "stacks": [[0, 12, 23, 1, 5, 11], [0, 30, 30, 1, 5, 11], [0, 40, 33], [2, 2, 3541, 0, 7, 21], [2, 2, 3541, 0, 7, 21, 1, 5, 11],
                   [3, 14, 211, 0, 30, 30]],
        "alloc": {"intervals": [524288], "samples": 20, "dropped": 0, "sweptMs": 1764530000000,
                  "rows": [[0, 2, 0, 3000000 * scale, 100000 * scale, 3000000 * scale, 100000 * scale, 6, 6],
                           [3, 0, 1, 1000000 * scale, 10 * scale, 0, 0, 2, 0],
                           [4, 0, 0, 6000000 * scale, 60 * scale, 2000000 * scale, 20 * scale, 12, 4]]},
        "lock": {"thresholds": [1000000], "waits": 6 * scale, "dropped": 0, "shorter": 41 * scale,
                 "rows": [[1, 1, 0, 5000000 * scale, 2 * scale, 2, 0], [5, 1, 1, 20000000 * scale, 4 * scale, -1, 1]]},
    }
    made.update(members)
    return made


TYPED = ("virtualInvokeProfiles", "monitorProfiles", "instanceOfProfiles")
TABLES = ("callCountProfiles", "conditionalProfiles", *TYPED)


def counts(made):
    """{(where, what): count} of a profile, by names: what it says without ids and orders, with whole stacks."""
    types = {each["id"]: each["name"] for each in made["types"]}
    methods = {each["id"]: (each["name"], *(types[part] for part in each["signature"])) for each in made["methods"]}

    def named(context):
        return tuple((methods[int(method)], int(bci)) for method, bci in (frame.split(":") for frame in context.split("<")))

    said = {(("samplingProfiles", named(context)), None): weight for context, weight in whole_stacks.of(made).items()}
    for table in TABLES:
        for entry in made.get(table, []):
            where = table if table == "monitorProfiles" else (table, named(entry["ctx"]))
            records = entry["records"]
            if table in TYPED:
                pairs = {types[records[i]]: records[i + 1] for i in range(0, len(records), 2)}
            elif table == "conditionalProfiles":
                pairs = {records[i]: records[i + 2] for i in range(0, len(records), 3)}
            else:
                pairs = {None: records[0]}
            said.update({(where, what): count for what, count in pairs.items()})
    return said


def unknown(*names):
    """The warning of a merge whose inputs do not say of which runs they are."""
    one = len(names) == 1
    listed = names[0] if one else f"{', '.join(names[:-1])} and {names[-1]}"
    return (f"iprof: warning: {listed} " + ("does not say of which run it is; it may" if one else "do not say of which runs they are; they may")
            + " be counted twice\n")


def is_profile(data):
    """Whether this is a profile, as opposed to a report about one, which may have members of the same names."""
    try:
        document = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    except (ValueError, OSError, EOFError):
        return False
    return isinstance(document, dict) and "version" in document and isinstance(document.get("methods"), list)


class CliTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="iprof-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.written = {}  # files that the test wrote: path to bytes
        self.said = []  # what the tool wrote to stdout

    def tearDown(self):
        """Checks every profile that the tool wrote, to files or stdout, against the official schema, if that
        is available."""
        files = {str(path): path.read_bytes() for path in pathlib.Path(self.folder).rglob("*") if path.is_file()}
        made = [path for path, data in files.items() if data != self.written.get(path) and is_profile(data)]
        for number, data in enumerate(self.said):
            if is_profile(data):
                made.append(self.path(f"said-{number}"))
                pathlib.Path(made[-1]).write_bytes(data)
        if made:
            done = subprocess.run([SCHEMA_CHECK, *made], capture_output=True, text=True, check=False)
            self.assertIn(done.returncode, (0, SCHEMA_NOT_HERE), done.stdout + done.stderr)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        data = content if isinstance(content, (bytes, str)) else json.dumps(content)
        data = data.encode() if isinstance(data, str) else data
        if name.endswith(".gz"):
            data = gzip.compress(data)
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as f:
            f.write(data)
        self.written[self.path(name)] = data
        return self.path(name)

    def run_tool(self, *arguments, expect=0, stdin=b"", env=None):
        done = subprocess.run(
            [IPROF, *arguments], input=stdin, capture_output=True, cwd=self.folder, timeout=1200,
            env={**os.environ, **(env or {})}, check=False)
        self.said.append(done.stdout)
        self.assertEqual(
            done.returncode, expect,
            f"\niprof {' '.join(arguments)}\nstdout: {done.stdout[-2000:]!r}\nstderr: {done.stderr[-2000:]!r}")
        return done

    def out(self, *arguments, **options):
        return self.run_tool(*arguments, **options).stdout.decode()

    def err(self, *arguments, **options):
        return self.run_tool(*arguments, **options).stderr.decode()

    def json(self, *arguments, **options):
        return json.loads(self.out(*arguments, "--format", "json", **options))

    def load(self, name):
        with open(self.path(name), "rb") as f:
            data = f.read()
        return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)

    def stacks(self, name):
        """ctx -> weight of the samples, with their whole stacks."""
        return whole_stacks.of(self.load(name))
