"""Which functions of a libjvm.so read a thread's mark "in AsyncGetCallTrace".

AsyncGetCallTrace sets a byte of the thread, and clears it at its end, unless a fault ends it. This finds the byte's place in the thread
by AsyncGetCallTrace's own code, then each comparison of a byte at that place with 0, and prints its function. Functions of other classes may have a
byte there, too: their names tell. Needs objdump and nm; takes a second.
"""

import re
import struct

from runner.running import said_by


def disassembly(library, begin, end):
    return said_by(["objdump", "-d", "-C", "--no-show-raw-insn", f"--start-address={begin:#x}", f"--stop-address={end:#x}", library])


def place_of_mark(library):
    symbols = said_by(["nm", "-D", "--defined-only", library])
    start = int(re.search(r"^(\w+) T AsyncGetCallTrace", symbols, re.M)[1], 16)
    # The first byte that is set to 1 in an object.
    return int(re.search(r"movb +\$0x1,0x([0-9a-f]{3,})\(%r", disassembly(library, start, start + 1200))[1], 16)


def add_options(options):
    options.add_argument("library", metavar="LIBJVM.so")


def main(arguments):
    library = arguments.library
    place = place_of_mark(library)
    with open(library, "rb") as file:
        code = file.read()
    print(f"the mark is at {place:#x}; compared with 0 there:")
    displacement = re.escape(struct.pack("<I", place))
    for hit in re.finditer(rb"\x80(?:[\xb8-\xbb\xbd-\xbf]|\xbc\x24)" + displacement + rb"\x00", code):
        text = disassembly(library, hit.start(), hit.start() + 16)  # code is at its address, as HotSpot's linkers place it
        print(f"  {hit.start():#x} in {re.search(r'<(.*)[+]0x', text)[1]}")
