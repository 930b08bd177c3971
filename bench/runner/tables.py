"""Tables, and the machine that they are from."""

import os
import pathlib
import platform
import re


def machine(jvm):
    """Example: "17.0.15 (jdk17); Intel(R) Xeon(R), 2 cores, Linux 6.1, load 0.3"."""
    model = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return (f"{jvm.full_version} ({jvm.id}); {model[1] if model else platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}, "
            f"load {os.getloadavg()[0]:.1f}")


class Markdown:
    """A table whose rows are printed as they come."""

    def __init__(self, *head):
        self.row(*head)
        self.row(*["---"] * len(head))

    @staticmethod
    def row(*cells):
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


def markdown(head, rows):
    """Its lines."""
    return [f"| {' | '.join(map(str, row))} |" for row in (head, ["---"] * len(head), *rows)]


def aligned(head, rows):
    """Its lines, for people: the first column to the left, the others to the right."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    return ["  ".join(text.ljust(width) if i == 0 else text.rjust(width) for i, (text, width) in enumerate(zip(row, widths))).rstrip()
            for row in [head, *rows]]
