#!/usr/bin/env python3
"""Writes seeds for the fuzz targets that read classes: small ones of an archive, after four bytes that choose what is done.

usage: make_fuzz_seeds.py ARCHIVE... OUT_DIR

ARCHIVE is a jar or jmod. Classes of at most 4,000 bytes are taken; for variety every third one gets an older version
number as well, so that the code paths of old class files are reached.
"""
import pathlib
import sys
import zipfile

LARGEST = 4000
MOST = 1500
OLD_VERSIONS = ((45, 0), (45, 3), (49, 0), (50, 0))


def classes_of(archive):
    with zipfile.ZipFile(archive) as entries:
        for info in sorted(entries.infolist(), key=lambda i: i.filename):
            if info.filename.endswith(".class") and info.file_size <= LARGEST:
                yield entries.read(info)


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    *archives, out = arguments
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    written = 0
    for archive in archives:
        classes = list(classes_of(archive))
        step = max(1, len(classes) // (MOST // len(archives)))
        for number, data in enumerate(classes[::step]):
            prefix = bytes((written % 8, written >> 8 & 255, written & 255, 1))
            (out / f"{written:05}").write_bytes(prefix + data)
            written += 1
            if number % 3 == 0:
                major, minor = OLD_VERSIONS[number // 3 % len(OLD_VERSIONS)]
                old = data[:4] + minor.to_bytes(2, "big") + major.to_bytes(2, "big") + data[8:]
                (out / f"{written:05}").write_bytes(prefix + old)
                written += 1
    print(f"{written} seeds in {out}")


if __name__ == "__main__":
    main(sys.argv[1:])
