#!/usr/bin/env python3
"""The map of the rooms: what it refuses, its table, and what it allows CMake files to link. (architecture.py checks the project.)"""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
sys.dont_write_bytecode = True
from iprofdev import room_links, rooms  # noqa: E402

SMALL = """
["w/base"]
is = "the base"
includes = []

["w/model"]
is = "the profile in memory"
includes = ["w/base"]

["w/testing"]
is = "examples"
includes = ["w/{base,model}"]
for_tests = true

["vm"]
is = "the agent"
includes = ["w/*"]
tests = ["w/testing"]
jvm = true

["java"]
is = "Java classes"
"""


def changed(old, new):
    assert old in SMALL
    return SMALL.replace(old, new, 1)


class Map(unittest.TestCase):
    def test_names_stand_for_rooms(self):
        found = rooms.read(SMALL)
        self.assertEqual(found["w/testing"].may_include, {"w/base", "w/model"})
        self.assertEqual(found["vm"].may_include, {"w/base", "w/model"})  # not the one for tests
        self.assertEqual(found["vm"].tests_may_include, {"w/testing"})
        self.assertEqual([name for name, room in found.items() if room.jvm], ["vm"])

    def test_the_innermost_room_has_a_file(self):
        found = rooms.read(SMALL)
        self.assertEqual(rooms.room_of("w/base/hash.h", found), "w/base")
        self.assertEqual(rooms.room_of("w/base", found), "w/base")
        self.assertIsNone(rooms.room_of("w/base64/hash.h", found))
        self.assertIsNone(rooms.room_of("java/Main.java", found))  # listed for readers only

    def test_what_is_no_map_is_refused(self):
        for old, new, reason in (('includes = []', 'includes = ["w/model"]', "a circle: w/base -> w/model -> w/base"),
                                 ('includes = ["w/base"]', 'includes = ["w/bas"]', "w/model includes w/bas, which is no room"),
                                 ('includes = ["w/base"]', 'includes = ["java"]', "w/model includes java, which is no room"),
                                 ('["w/*"]', '["x/*"]', r"vm includes x/\*, which is no room"),
                                 ('is = "the base"', "", "w/base does not say in one line what it `is`"),
                                 ('is = "the base"', 'is = "a | b"', "w/base does not say in one line what it `is`"),
                                 ("jvm = true", "jvm = 1", "vm: jvm is no key of a room, or has another kind of value"),
                                 ("jvm = true", "jmv = true", "vm: jmv is no key of a room, or has another kind of value"),
                                 ('includes = ["w/base"]', 'includes = [1]', "w/model: includes is no key of a room, or has another kind of value"),
                                 ('["w/base"]', 'x = 1\n["w/base"]', "x stands outside a room"),
                                 ('["w/base"]', '["w/base"', "rooms.toml: .*line 2")):
            with self.subTest(new), self.assertRaisesRegex(rooms.BadMap, reason):
                rooms.read(changed(old, new))


class Table(unittest.TestCase):
    def test_a_row_says_what_a_room_is_and_may_include(self):
        table = rooms.table(rooms.read(SMALL))
        self.assertIn("| `w/base` | the base | nothing |\n", table)
        self.assertIn("| `w/testing` | examples | `w/{base,model}` |\n", table)
        self.assertIn("| `vm` | the agent | `w/*`, JVMTI |\n", table)
        self.assertIn("| `java` | Java classes |  |\n", table)
        alone = rooms.read('["vm"]\nis = "the agent"\nincludes = []\njvm = true\n')
        self.assertIn("| `vm` | the agent | JVMTI |\n", rooms.table(alone))

    def test_it_replaces_the_one_between_the_markers(self):
        found = rooms.read(SMALL)
        page = rooms.with_table(f"before\n{rooms.BEGIN}old\n{rooms.END}after\n", found)
        self.assertEqual(page, f"before\n{rooms.table(found)}after\n")
        self.assertEqual(rooms.with_table(page, found), page)

    def test_a_page_without_markers_is_refused(self):
        for page in ("", rooms.BEGIN, rooms.END, rooms.END + rooms.BEGIN, 2 * (rooms.BEGIN + rooms.END)):
            with self.subTest(page), self.assertRaisesRegex(rooms.BadMap, "the lines around the table of rooms are missing"):
                rooms.with_table(page, rooms.read(SMALL))


class Links(unittest.TestCase):
    FILES = {"w/base": "iprof_room(base SOURCES a.cc)", "w/model": "iprof_room(model SOURCES b.cc LIBS base fmt)",
             "w/testing": "add_library(testing STATIC EXCLUDE_FROM_ALL t.cc)\ntarget_link_libraries(testing PUBLIC model)",
             "vm": "iprof_room(vm\n  SOURCES c.cc ALONE c.cc\n  LIBS model iprof_jvmti)  # LIBS (nothing)\niprof_test(vm_test SOURCES c_test.cc LIBS vm testing)"}

    def violations(self, **changes):
        return room_links.violations({**self.FILES, **{name.replace("_", "/"): text for name, text in changes.items()}}, rooms.read(SMALL))

    def test_all_is_well(self):
        self.assertEqual(self.violations(), [])

    def test_a_library_of_another_room_is_found(self):
        wrong = "w/base/CMakeLists.txt: w/base must not link w/model (model)"
        self.assertEqual(self.violations(w_base="iprof_room(base SOURCES a.cc LIBS model)"), [wrong])
        self.assertEqual(self.violations(w_base="iprof_room(base SOURCES a.cc)\ntarget_link_libraries(base PUBLIC model)"), [wrong])

    def test_only_tests_link_what_is_for_tests(self):
        for kind, wrong in (("iprof_room", ["vm/CMakeLists.txt: vm must not link w/testing (testing)"]), ("iprof_test", []), ("iprof_fuzz", [])):
            with self.subTest(kind):
                self.assertEqual(self.violations(vm=f"iprof_room(vm SOURCES c.cc)\n{kind}(other SOURCES d.cc LIBS testing)"), wrong)

    def test_only_rooms_that_know_the_jvm_link_it(self):
        self.assertEqual(self.violations(w_base="iprof_room(base SOURCES a.cc LIBS iprof_jvmti)"),
                         ["w/base/CMakeLists.txt: w/base must not link JVMTI (iprof_jvmti)"])

    def test_a_library_belongs_to_the_rooms_of_its_sources(self):
        text = SMALL + '["vm/low"]\nis = "what vm builds for all"\nincludes = []\n' + '["user"]\nis = "knows the low part"\nincludes = ["vm/low"]\n'
        files = {"vm": "iprof_room(vm SOURCES c.cc low/l.cc)", "user": "iprof_room(user SOURCES u.cc LIBS vm)"}
        self.assertEqual(room_links.violations(files, rooms.read(text)), [])

    def test_a_call_that_is_not_understood_is_found(self):
        self.assertEqual(self.violations(vm="iprof_room(vm SOURCES c.cc LIBS $<IF:(a),model,base>)"),
                         ["vm/CMakeLists.txt: a call that makes or links a library has parentheses in it: write it without them"])

    def test_no_room_is_unlisted(self):
        for folder in ("vm/new", "w/new"):
            with self.subTest(folder):
                self.assertEqual(self.violations(**{folder: "iprof_room(new SOURCES e.cc)"}),
                                 [f"{folder}/CMakeLists.txt: builds a room that scripts/rooms.toml does not list"])


unittest.main()
