"""The results as text: a table for each program and one over all of them.

Speed is a ratio to the image without a profile, of medians over the rounds: 0.80 is a fifth less time. `worst` is the worst single round.
"""

import math
import statistics

from image.recipes import INSTRUMENTED, JVM, NONE
from runner import figures
from runner.tables import markdown

METRICS = (("CPU", "cpu_s"), ("wall", "wall_s"))
HEAD = ("", *(title for metric, _ in METRICS for title in (metric, "worst")), "image, MiB", "hot missed", "branches off", "inverted", "other classes")
HEAD_OVER_ALL = ("", *(title for metric, _ in METRICS for title in (f"{metric}, geometric mean", "median", "worst program")), "image size")
MIB = 1 << 20


def worst_round(sample):
    """The largest ratio of one round; NaN if there is none."""
    return max((value / base for value, base in sample if base), default=math.nan)


def _number(value, form="{:.2f}"):
    return "" if value is None or math.isnan(value) else form.format(value)


def _speeds(results, program, way):
    for _, metric in METRICS:
        sample = results.sample(program, way, NONE, metric)
        yield str(figures.ratio(sample)) if way != NONE else "1"
        yield _number(worst_round(sample)) if way != NONE else ""


def of_program(program, ways, results, sizes, decisions):
    """sizes: (program, way) -> bytes; decisions: (program, way) -> Overlap."""
    base = [results.median(program, NONE, metric) for _, metric in METRICS]
    rows = []
    for way in ways:
        of_image = decisions.get((program, way))
        shares = [of_image.hot_missed, of_image.branches_off, of_image.inverted, of_image.other_classes] if of_image else [None] * 4
        size = sizes.get((program, way))
        rows.append([way, *_speeds(results, program, way), _number(size and size / MIB, "{:.1f}"), *(_number(share, "{:.3f} %") for share in shares)])
    return [f"{program}: {_number(base[0]) or '-'} s of CPU and {_number(base[1]) or '-'} s of time without a profile", "", *markdown(HEAD, rows)]


def over_all(programs, ways, results, sizes):
    """Only ways that ran with all programs have figures, so that their means are over the same."""
    rows = []
    for way in ways:
        if way == NONE:
            continue
        cells = []
        for _, metric in METRICS:
            samples = [results.sample(program, way, NONE, metric) for program in programs]
            by_program = {program: figures.ratio(sample).value for program, sample in zip(programs, samples)}
            whole = not any(map(math.isnan, by_program.values()))
            worst = max(by_program, key=by_program.get)
            cells += [str(figures.mean_ratio(samples)), *((_number(statistics.median(by_program.values())),
                                                             f"{_number(by_program[worst])}, {worst}") if whole else ("", ""))]
        rows.append([way, *cells, _size_ratio(programs, way, sizes)])
    return [f"over {len(programs)} programs", "", *markdown(HEAD_OVER_ALL, rows)]


def _size_ratio(programs, way, sizes):
    ratios = [sizes[program, way] / sizes[program, NONE] for program in programs if (program, way) in sizes and (program, NONE) in sizes]
    return _number(figures.geometric_mean(ratios)) if len(ratios) == len(programs) else ""


def ways_of(modes):
    """The rows' names, in order."""
    return [NONE, *modes, INSTRUMENTED, JVM]
