"""Builds the project for another processor or C library, with zig."""

import os
import pathlib
import shlex
import shutil

from iprofdev import debian_source, packages, processes, wheels
from iprofdev.messages import Unavailable, fail
from iprofdev.places import CACHE, ROOT

# What is copied of this machine's headers and CMake packages: the libraries that have only headers.
COPIED = ("include/fmt", "include/rapidjson", "include/CLI", "include/catch2", "share/cmake/CLI11", "lib/cmake/Catch2")
# Names a library of this machine, which no test uses.
NOT_COPIED = shutil.ignore_patterns("Catch2Targets-*.cmake")
TOOLS = ("cc", "c++", "ar", "ranlib")
# zig makes debug information unless told not to, and products have none.
OPTIMIZATION = ("-O2", "-DNDEBUG", "-g0")
# RapidJSON 1.1.0 assigns to a constant, in a function that nothing calls. New versions of clang see that.
RAPIDJSON_FAULT = "GenericStringRef& operator=(const GenericStringRef& rhs) { s = rhs.s; length = rhs.length; }"


class CrossBuild:
    """One build folder of one target."""

    def __init__(self, target, folder):
        self.target, self.folder = target, pathlib.Path(folder)
        self.zig, self.zlib = CrossBuild.fetch()
        self.tools = packages.FOLDER / "tools" / str(target)
        self.sysroot = packages.FOLDER / "sysroot"

    @staticmethod
    def fetch():
        """The paths of zig and of zlib's sources. Raises Unavailable and WrongBytes."""
        return wheels.unpacked("zig") / "ziglang" / "zig", debian_source.unpacked("zlib-sources")

    def configure(self, *options):
        self._write_tools()
        self._copy_headers()
        settings = {
            "CMAKE_TOOLCHAIN_FILE": ROOT / "scripts" / "cmake" / "zig.cmake",
            "CMAKE_BUILD_TYPE": "Release",
            **{f"CMAKE_{language}_FLAGS_RELEASE": " ".join(OPTIMIZATION) for language in ("C", "CXX")},
            "CMAKE_EXE_LINKER_FLAGS": "-pie",
            "CMAKE_EXE_LINKER_FLAGS_RELEASE": "-s",
            "CMAKE_SHARED_LINKER_FLAGS_RELEASE": "-s",
            "CMAKE_INSTALL_PREFIX": "/usr",
            "CMAKE_INSTALL_LIBDIR": "lib",
            "CMAKE_CROSSCOMPILING_EMULATOR": ";".join(self.target.emulator),
            "CCACHE_PROGRAM": "",  # the commands of _write_tools call it
            "IPROF_PROCESSOR": self.target.processor,
            "IPROF_TOOLS": self.tools,
            "IPROF_SYSROOT": self.sysroot,
            "IPROF_ZLIB_SOURCE": self.zlib,
            "IPROF_GLIBC": packages.OLDEST_GLIBC if self.target.libc == "glibc" else "",
        }
        self.command("configuring", "cmake", "-G", "Ninja", "-S", ROOT, "-B", self.folder,
                     *(f"-D{name}={value}" for name, value in settings.items()), *options)

    def build(self, *targets):
        jobs = os.environ.get("IPROF_JOBS") or str(os.cpu_count() or 1)
        self.command("building", "cmake", "--build", self.folder, "--parallel", jobs, "--target", *targets)

    def command(self, doing, *command, **options):
        done = processes.run(command, **options)
        if done.returncode:
            fail(f"{doing} for {self.target} failed:\n{processes.end_of(done.stdout + done.stderr, 60)}")

    def _write_tools(self):
        """Commands that CMake takes for a compiler and its tools."""
        (self.tools / "zig").mkdir(parents=True, exist_ok=True)
        cache = shlex.quote(str(CACHE / "zig"))
        for name in TOOLS:
            # zig makes a C++ library for each level of optimisation, and one for programs that are not position-independent, so
            # everything is linked with the same level, and as such.
            options = f"-target {self.target.zig} {OPTIMIZATION[0]}" if name in ("cc", "c++") else ""
            command = self._write_script(f"zig/{name}", f"export ZIG_GLOBAL_CACHE_DIR={cache} ZIG_LOCAL_CACHE_DIR={cache}\n"
                                                        f"exec {shlex.quote(str(self.zig))} {name} {options} \"$@\"\n")
            self._write_script(name, self._cached(command, options) if options else f"exec {shlex.quote(str(command))} \"$@\"\n")

    def _cached(self, command, options):
        """zig's own cache knows sources by their absolute paths, so that it would not work for another clone."""
        settings = {"BASEDIR": ROOT, "NOHASHDIR": 1, "DEPEND": 1, "SLOPPINESS": "time_macros", "COMPILERTYPE": "clang",
                    "COMPILERCHECK": f"string:{self.zig.parent.parent.name} {options}"}
        words = " ".join(f"CCACHE_{name}={shlex.quote(str(value))}" for name, value in settings.items())
        # Paths of this machine must not get into the products.
        return (f"export {words}\nexec $(command -v ccache) {shlex.quote(str(command))} -ffile-prefix-map={shlex.quote(str(ROOT))}=. \"$@\"\n")

    def _write_script(self, name, text):
        path, text = self.tools / name, "#!/bin/sh\n" + text
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            path.chmod(0o755)
        return path

    def _copy_headers(self):
        for name in COPIED:
            source, copy = pathlib.Path("/usr") / name, self.sysroot / "usr" / name
            if not source.exists():
                raise Unavailable(f"{source} is missing: run scripts/install-deps.")
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(source, copy, ignore=NOT_COPIED)
        document = self.sysroot / "usr/include/rapidjson/document.h"
        times = document.stat()
        document.write_text(document.read_text().replace(RAPIDJSON_FAULT, ""))
        os.utime(document, ns=(times.st_atime_ns, times.st_mtime_ns))
