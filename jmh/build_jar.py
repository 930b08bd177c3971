#!/usr/bin/env python3
"""Builds the JMH profiler's jar. Called by CMake:

  build_jar.py --javac JAVAC --version VERSION --out JAR NAME=FOLDER ...

Each NAME=FOLDER is a line of the jar's places.properties. JMH comes from scripts/pins. If it cannot be fetched, this prints
why, and makes no jar; that is no failure, because the agent needs none. The same sources give the same bytes.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts" / "lib"))
from iprofdev import maven  # noqa: E402
from iprofdev.messages import Unavailable  # noqa: E402

JAVA = HERE / "java"
# The Maven artefact's reader of JSON. Here it is in another package, because both jars may be on one class path.
JSON = HERE.parent / "runtime" / "maven" / "src" / "main" / "java" / "org" / "iprofagent" / "Json.java"
# What a JVM loads when it loads the class iprof. Older ones must be able to, see there.
FRONT = [JAVA / "iprof.java", JAVA / "iprofagent" / "jmh" / "WrongOptions.java"]
RESOURCES = HERE / "resources"
PLACES = "iprofagent/jmh/places.properties"
EPOCH = (1980, 1, 1, 0, 0, 0)


def compile_java(arguments, release, class_path, target, sources):
    command = [arguments.javac, "-g", "--release", release, "-encoding", "UTF-8", "-Xlint:all,-options,-processing,-rawtypes", "-proc:none",
               *(["-Werror"] if arguments.werror else []), "-cp", ":".join(map(str, class_path)), "-d", target, *sources]
    subprocess.run(list(map(str, command)), check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--javac", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--werror", action="store_true", help="a warning is an error")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("places", nargs="*")
    arguments = parser.parse_args()
    arguments.out.unlink(missing_ok=True)
    try:
        jmh = maven.jar("jmh-core")
    except Unavailable as missing:
        print(f"{arguments.out.name} is not built: {missing}")
        return
    with tempfile.TemporaryDirectory(dir=arguments.out.parent, prefix="iprof-jmh.") as staging:
        classes = pathlib.Path(staging) / "classes"
        json = pathlib.Path(staging) / JSON.name
        json.write_text(JSON.read_text(encoding="utf-8").replace("package org.iprofagent;", "package iprofagent.jmh;", 1), encoding="utf-8")
        compile_java(arguments, "17", [jmh], classes, [*sorted(set(JAVA.rglob("*.java")) - {FRONT[0]}), json])
        compile_java(arguments, "8", [jmh, classes], classes, FRONT)
        entries = {path.relative_to(folder).as_posix(): path.read_bytes()
                   for folder in (classes, RESOURCES) for path in folder.rglob("*") if path.is_file()}
        entries[PLACES] = "".join(f"{place}\n" for place in arguments.places).encode()
        made = pathlib.Path(staging) / "made.jar"
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as jar:
            manifest = f"Manifest-Version: 1.0\r\nImplementation-Title: iprofagent\r\nImplementation-Version: {arguments.version}\r\n\r\n"
            for name, content in [("META-INF/MANIFEST.MF", manifest), *sorted(entries.items())]:
                info = zipfile.ZipInfo(name, EPOCH)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = 0o644 << 16
                jar.writestr(info, content)
        made.replace(arguments.out)


if __name__ == "__main__":
    try:
        main()
    except maven.WrongBytes as wrong:
        sys.exit(f"build_jar.py: {wrong}")
    except subprocess.CalledProcessError:
        sys.exit(1)  # javac has said why
