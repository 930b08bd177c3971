"""Shared by the project's programs in java-tests, bench and scripts.

places      where the repository, its build and the cache are
messages    how a program says that it cannot go on, and that a test does not apply here
processes   running other programs
jvms        the JVMs that tests run on
pins        everything that is fetched, with its version and hash (scripts/pins)
rooms       the map of the rooms (scripts/rooms.toml)
room_links  whether the CMake files link as that map allows
maven       jars from Maven Central
mavenbuild  builds by Maven
javabuild   compiling Java sources once

A program makes it importable with one line: sys.path.insert(0, str(ROOT / "scripts" / "lib")).
"""
