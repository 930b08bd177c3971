"""A release's bill of materials, as CycloneDX 1.5 in JSON: what is compiled into its files, and the files with their hashes.

It depends only on the version, the commit, the time and the files, so that equal releases have equal ones.
"""

import datetime
import hashlib
import pathlib
import re
import uuid

from iprofdev import pins

INCLUDE = pathlib.Path("/usr/include")  # what scripts/lib/iprofdev/crossbuild.py copies
APACHE = "Apache-2.0"


def _define(header, name):
    return re.search(rf"^#define {name} \"?([\d.]+)\"?$", (INCLUDE / header).read_text(), re.M)[1]


def _fmt():
    number = int(_define("fmt/core.h", "FMT_VERSION"))  # 90100 is 9.1.0
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def libraries():
    """(name, version, licence, purl) of what the products contain of other projects."""
    rapidjson = ".".join(_define("rapidjson/rapidjson.h", f"RAPIDJSON_{part}_VERSION") for part in ("MAJOR", "MINOR", "PATCH"))
    zlib = re.match(r"zlib_([\d.]+\d)", pins.pin("zlib-sources").what)[1]
    zig = pins.pin("zig").version
    cli11 = _define("CLI/Version.hpp", "CLI11_VERSION")
    return (
        ("CLI11", cli11, "BSD-3-Clause", f"pkg:github/CLIUtils/CLI11@v{cli11}"),
        ("RapidJSON", rapidjson, "MIT", f"pkg:github/Tencent/rapidjson@v{rapidjson}"),
        ("fmt", _fmt(), "MIT", f"pkg:github/fmtlib/fmt@{_fmt()}"),
        # The C++ library, and what replaces libgcc, come with the compiler.
        ("libc++ and compiler-rt of zig", zig, "Apache-2.0 WITH LLVM-exception", f"pkg:pypi/ziglang@{zig}"),
        ("zlib", zlib, "Zlib", f"pkg:generic/zlib@{zlib}"),
    )


def of(version, commit, time_s, files):
    """The document for json.dumps. files: paths."""
    own = f"pkg:generic/iprofagent@{version}"

    def licence(text):
        return [{"expression": text}] if " " in text else [{"license": {"id": text}}]

    components = [{"type": "library", "bom-ref": purl, "name": name, "version": its, "licenses": licence(text), "purl": purl}
                  for name, its, text, purl in libraries()]
    for path in sorted(files, key=lambda each: each.name):
        components.append({"type": "file", "bom-ref": f"file:{path.name}", "name": path.name,
                           "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}]})
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{own}#{commit}')}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(time_s, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "bom-ref": own, "name": "iprofagent", "version": version, "licenses": licence(APACHE),
                          "purl": own, "properties": [{"name": "commit", "value": commit}]},
        },
        "components": components,
        "dependencies": [{"ref": own, "dependsOn": [purl for _, _, _, purl in libraries()]}],
    }
