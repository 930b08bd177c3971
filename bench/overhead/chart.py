"""Draws the results as SVG, readable on light and dark pages.

Each row is a workload, each mark the ratio of a configuration to the bare JVM on a logarithmic axis, with its 95 % interval.
"""

import math
from xml.sax.saxutils import escape

from overhead.configurations import ALL, BOTH, JACOCO, NONE, PER_CALL, TIER_3
from runner import figures
from runner.workloads import MICRO, REAL

# A different shape for each, so that colours are not the only difference.
SERIES = ((BOTH, "s0", "circle"), (ALL, "s1", "square"), (JACOCO, "s2", "diamond"), (TIER_3, "s3", "up"), (PER_CALL, "s4", "down"))
STYLE = """
  .page { fill: #ffffff; } .text { fill: #24292f; } .faint { stroke: #d0d7de; } .base { stroke: #57606a; }
  .s0 { fill: #0969da; stroke: #0969da; } .s1 { fill: #8250df; stroke: #8250df; } .s2 { fill: #bc4c00; stroke: #bc4c00; }
  .s3 { fill: #1a7f37; stroke: #1a7f37; } .s4 { fill: #6e7781; stroke: #6e7781; }
  text { font: 12px sans-serif; } .head { font-weight: bold; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; } .text { fill: #e6edf3; } .faint { stroke: #30363d; } .base { stroke: #8b949e; }
    .s0 { fill: #58a6ff; stroke: #58a6ff; } .s1 { fill: #bc8cff; stroke: #bc8cff; } .s2 { fill: #ffa657; stroke: #ffa657; }
    .s3 { fill: #56d364; stroke: #56d364; } .s4 { fill: #8b949e; stroke: #8b949e; }
  }"""
LEFT, WIDTH, TOP, ROW = 150, 860, 62, 34
RIGHT = WIDTH - 24
MARKS = (1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100)


def rows(results, workloads):
    """[(title or None, label, {configuration: Estimate})]: each kind with its geometric mean."""
    given = []
    for kind in (REAL, MICRO):
        names = [w.name for w in workloads if w.kind == kind and results.has(w.name, NONE)]
        if not names:
            continue
        samples = {c: [results.sample(n, c, NONE, "steady_ms") for n in names] for c, _, _ in SERIES}
        for i, name in enumerate(names):
            given.append((kind if i == 0 else None, name, {c: figures.ratio(samples[c][i]) for c in samples}))
        if len(names) > 1:
            given.append((None, "geometric mean", {c: figures.mean_ratio(samples[c]) for c in samples}))
    return given


def steady_state(results, workloads):
    return draw("CPU time in steady state, without an agent = 1", rows(results, workloads))


def draw(title, given):
    known = [e for _, _, estimates in given for e in estimates.values() if e.known]
    ends = [end for e in known for end in (e.value, e.low, e.high) if not math.isnan(end)]
    low = min([0.9, *ends])
    high = max([2.0, *ends]) * 1.05
    titles = sum(1 for kind, _, _ in given if kind)
    bottom = TOP + ROW * len(given) + 24 * titles

    def x(value):
        return LEFT + (RIGHT - LEFT) * math.log(max(value, low) / low) / math.log(high / low)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 30}" role="img" aria-label="{escape(title)}">',
           f"<style>{STYLE}\n</style>", f'<rect class="page" width="{WIDTH}" height="{bottom + 30}" rx="6"/>',
           f'<text class="text head" x="16" y="24">{escape(title)}</text>', *_legend()]
    for mark in (m for m in MARKS if low <= m <= high):
        out.append(f'<line class="{"base" if mark == 1 else "faint"}" x1="{x(mark):.1f}" x2="{x(mark):.1f}" y1="{TOP}" y2="{bottom}"/>')
        out.append(f'<text class="text" text-anchor="middle" x="{x(mark):.1f}" y="{bottom + 18}">{mark:g}</text>')
    y = TOP
    for kind, label, estimates in given:
        if kind:
            y += 24
            out.append(f'<text class="text head" x="16" y="{y - 6}">{escape(kind)}</text>')
        out.append(f'<text class="text" x="28" y="{y + ROW / 2 + 4:.1f}">{escape(label)}</text>')
        for i, (name, style, shape) in enumerate(SERIES):
            if estimates[name].known:
                out += _mark(name, label, estimates[name], style, shape, x, y + ROW * (i + 1) / (len(SERIES) + 1))
        y += ROW
    return "\n".join([*out, "</svg>", ""])


def _legend():
    out, x = [], 16
    for name, style, shape in SERIES:
        out += [_shape(shape, style, x + 5, 43), f'<text class="text" x="{x + 15}" y="47">{escape(name)}</text>']
        x += 40 + 7 * len(name)
    return out


def _mark(name, label, estimate, style, shape, x, y):
    ratio = f"{label}, {name}: {estimate}"
    bar = [] if math.isnan(estimate.low) else [
        f'<line class="{style}" x1="{x(estimate.low):.1f}" x2="{x(estimate.high):.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke-width="1.5"/>']
    return [f"<g><title>{escape(ratio)}</title>", *bar, _shape(shape, style, x(estimate.value), y), "</g>"]


def _shape(shape, style, x, y):
    if shape == "circle":
        return f'<circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
    corners = {"square": ((-3.5, -3.5), (3.5, -3.5), (3.5, 3.5), (-3.5, 3.5)), "diamond": ((0, -5), (5, 0), (0, 5), (-5, 0)),
               "up": ((0, -4.5), (4.5, 3.5), (-4.5, 3.5)), "down": ((0, 4.5), (4.5, -3.5), (-4.5, -3.5))}[shape]
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon class="{style}" points="{points}"/>'
