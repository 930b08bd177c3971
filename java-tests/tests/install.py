#!/usr/bin/env python3
"""cmake --install into an empty folder installs everything that a user needs, in the usual places."""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
build, library_folder = pathlib.Path(sys.argv[1]), sys.argv[2]
EXPECTED = [
    f"{library_folder}/libiprofagent.so",
    "bin/iprof",
    *(f"share/doc/iprofagent/{name}" for name in ("LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *(f"share/doc/iprofagent/{path.relative_to(ROOT)}" for path in (ROOT / "docs").rglob("*") if path.is_file()),
    "share/man/man1/iprof.1",
    "share/bash-completion/completions/iprof",
    "share/zsh/site-functions/_iprof",
    "share/fish/vendor_completions.d/iprof.fish",
]

if (build / "iprof-jmh.jar").exists():  # it is not built if JMH cannot be fetched
    EXPECTED.append("share/java/iprof-jmh.jar")

with tempfile.TemporaryDirectory(prefix="iprof-install.") as destination:
    done = subprocess.run(["cmake", "--install", build, "--prefix", "/usr/local"],
                          env={**os.environ, "DESTDIR": destination}, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout, done.stderr)
        sys.exit(1)
    prefix = pathlib.Path(destination) / "usr/local"
    installed = sorted(p.relative_to(prefix).as_posix() for p in prefix.rglob("*") if p.is_file())
    missing = [name for name in EXPECTED if name not in installed and name + ".gz" not in installed]
    surplus = [name for name in installed if name not in EXPECTED and name.removesuffix(".gz") not in EXPECTED]
    failures = [f"missing: {name}" for name in missing] + [f"not expected: {name}" for name in surplus]
    tool = prefix / "bin/iprof"
    if tool.exists() and subprocess.run([tool, "version"], capture_output=True).returncode != 0:
        failures.append("the installed iprof does not run")
    # It looks for the installed library before it looks at the process, which is no JVM.
    said = subprocess.run([tool, "attach", str(os.getpid())], capture_output=True, text=True).stderr if tool.exists() else ""
    if "is not a JVM" not in said:
        failures.append(f"the installed iprof does not find the installed library: {said}")
    # Without the profiler for JMH, the installation goes on, and says so.
    script = (build / "jmh" / "cmake_install.cmake").read_text()
    without = pathlib.Path(destination) / "without.cmake"
    without.write_text(script.replace(str(build / "iprof-jmh.jar"), "/nowhere/iprof-jmh.jar"))
    said = subprocess.run(["cmake", "-P", without], env={**os.environ, "DESTDIR": destination}, capture_output=True, text=True)
    if said.returncode != 0 or "Not installed: iprof-jmh.jar" not in said.stderr:
        failures.append(f"nothing is said of a jar that was not built: {said}")
    print("\n".join(failures) or "installed: " + ", ".join(installed))
    sys.exit(1 if failures else 0)
