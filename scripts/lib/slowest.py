"""Prints the slowest tests of the last run of ctest, from the JUnit file that it wrote:  slowest.py FILE [HOW_MANY]"""

import pathlib
import sys
import xml.etree.ElementTree


def main(path, how_many):
    if not pathlib.Path(path).exists():  # ctest did not run tests
        return
    tests = xml.etree.ElementTree.parse(path).getroot().findall("testcase")
    ran = [test for test in tests if test.get("status") in ("run", "fail")]
    slowest = sorted(ran, key=lambda test: -float(test.get("time")))[:how_many]
    total = sum(float(test.get("time")) for test in ran)
    print(f"\nThe slowest of {len(ran)} tests, which took {total / 60:.1f} minutes one after the other:")
    for test in slowest:
        failed = "   FAILED" if test.get("status") == "fail" else ""
        print(f"{float(test.get('time')):8.1f} s  {test.get('name')}{failed}")


main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10)
