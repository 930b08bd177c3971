"""Compares ways to write stacks whose sampled callees contradict exact receivers, on profiles that were recorded with samples.

With `all`, every piece of a stack is written; with `both`, the piece at each end; with `outer`, the stack ends at the first such call; with
`inner`, it begins behind the last one. `total` is the written weight, relative to the true one. Hot methods (0.1 % of the samples innermost)
and hot contexts (5 % of the samples) are those that stay, of all, or of those that do not cross a cut. Contradictions are counted before and
after. Contexts are chains of frames of any length, as inlining makes them.

The first table says how large the whole stacks are in each file, and what part of the samples a build is given cut or not at all.
"""

import collections
import itertools
import json
import pathlib

from harness.profile import load_profile
from iprofdev import whole_stacks
from oracle import builder
from runner import tables

VARIANTS = ("all", "both", "outer", "inner")
HOT_METHOD = 1000  # one of so many samples


def summed(weights):
    sums = collections.Counter()
    for key, weight in weights:
        sums[key] += weight
    return sums


def pieces_of(frames, sites, variant):
    calls = [at for at in range(1, len(frames)) if frames[at] in sites]
    if not calls:
        return [frames]
    ends = [0, *calls, len(frames)]
    pieces = [frames[first:last] for first, last in zip(ends, ends[1:])]
    return {"all": pieces, "both": [pieces[0], pieces[-1]], "outer": pieces[-1:], "inner": pieces[:1]}[variant]


class Program:
    def __init__(self, document):
        self.methods = builder.Methods(document)
        self.receivers = builder.sites_of(document)
        self.stacks = builder.whole_stacks_of(document)

    def contradictions(self, stacks):
        calls = builder.hot_calls(stacks, set(self.receivers))
        return [chain for chain, callees in calls.items() if not builder.agrees(self.methods, self.receivers[chain[0]], callees)]

    def split(self, variant):
        """(sites, written stacks), once nothing contradicts."""
        sites, written = set(), self.stacks
        while found := {chain[0] for chain in self.contradictions(written)} - sites:
            sites |= found
            written = summed((piece, weight) for frames, weight in self.stacks for piece in pieces_of(frames, sites, variant)).items()
        return sites, written


def hot_methods(stacks):
    own = summed((frames[0][0], weight) for frames, weight in stacks)
    return {method for method, weight in own.items() if weight * HOT_METHOD >= builder.total_of(stacks)}


def hot_contexts(stacks):
    """All hot chains; longer ones only of hot shorter ones."""
    hot, last, total = set(), {()}, builder.total_of(stacks)
    for length in itertools.count(1):
        weights = summed((chain, weight) for frames, weight in stacks
                         for chain in {frames[at:at + length] for at in range(len(frames) - length + 1)}
                         if chain[:-1] in last and chain[1:] in last)
        last = {chain for chain, weight in weights.items() if weight * builder.HOT >= total}
        if not last:
            return hot
        hot |= last


def add_options(options):
    options.add_argument("profiles", metavar="PROFILE", nargs="+", type=pathlib.Path)


def print_sizes(paths):
    table = tables.Markdown("program", "file", "whole stacks", "of the file", "samples", "cut", "left out")
    for path in paths:
        profile = load_profile(path)
        size, part = (len(json.dumps(value, separators=(",", ":"))) for value in (profile.document, profile.section.get("split", {})))
        samples = sum(profile.samples().values())
        cut, left_out = (whole_stacks.in_pieces(profile.document, count)[1] / samples for count in (1, 0))
        sizes = f"{size / 1e6:.2f} MB", f"{part / 1e3:.0f} kB", f"{100 * part / size:.1f} %"
        table.row(path.stem, *sizes, f"{samples:,}", f"{cut:.0%}", f"{left_out:.0%}")


def main(arguments):
    print_sizes(arguments.profiles)
    print()
    table = tables.Markdown("program", "way", "calls", "stacks cut", "total", "hot methods", "hot contexts", "that cross a cut", "contradictions")
    for path in arguments.profiles:
        program = Program(load_profile(path).document)
        methods, contexts = hot_methods(program.stacks), hot_contexts(program.stacks)
        before = len(program.contradictions(program.stacks))
        for variant in VARIANTS:
            sites, written = program.split(variant)
            cut = sum(any(frame in sites for frame in frames[1:]) for frames, _ in program.stacks)
            whole = {chain for chain in contexts if not any(frame in sites for frame in chain[1:])}
            table.row(path.stem, variant, len(sites), f"{cut} of {len(program.stacks)}",
                      f"{builder.total_of(written) / builder.total_of(program.stacks):.2f}",
                      f"{len(methods & hot_methods(written))} of {len(methods)}", f"{len(whole & hot_contexts(written))} of {len(whole)}",
                      len(contexts) - len(whole), f"{before} → {len(program.contradictions(written))}")
