"""The tables of docs/performance.md and the plots beside them, from the results."""

from math import exp, log
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.ticker import NullFormatter

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "performance.md"
FIGURES = {
    "right_hand_side": "One right-hand side",
    "motion": "One simulated second, with the same error",
    "gradient": "Gradient of one objective by all masses (dashed: by differences, computed)",
}
SCENES = {"chain": "chain", "windows": "four-bars", "grid": "grid", "tree": "tree"}
COLOURS = {"costate": "#c1272d", "Pinocchio": "#1f6fb4", "MuJoCo": "#2e8b57", "Drake": "#8a5fb0", "Exudyn": "#b8860b"}
# Seconds that the motions take.
DURATION = 0.5


def report(results):
    cases = [case | {"bars": bars(case)} for case in results["cases"]]
    for key in FIGURES:
        plot(cases, key)
    text = PAGE.read_text()
    for key in FIGURES:
        begin, end = f"<!-- peers: {key} -->\n", f"<!-- end of peers: {key} -->"
        before, rest = text.split(begin)
        text = before + begin + table(cases, key) + end + rest.split(end, 1)[1]
    begin, end = "<!-- peers: versions -->\n", "<!-- end of peers: versions -->"
    before, rest = text.split(begin)
    named = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
    line = f"Measured with {named}, on {results['machine']}; errors below {results['error']:.0e} m. {compiled(cases)}\n"
    PAGE.write_text(before + begin + line + end + rest.split(end, 1)[1])


def compiled(cases):
    """What part of Pinocchio's motions is its own: the rest is the loop in Python."""
    chains = [case for case in cases if (case["solver"], case["scene"]) == ("Pinocchio", "chain") and case.get("motion")]
    parts = [(case["size"], case["evaluations"] * case["right_hand_side"] / case["motion"]) for case in chains]
    told = ", ".join(f"{100 * part:.0f} % for {size} links" for size, part in parts if size in (1, 10, 100))
    return f"Of the time of Pinocchio's motions of a chain its right-hand sides are {told}; the rest is the loop in Python."


def bars(case):
    n = case["size"]
    return {"chain": n, "windows": 2 * n + 1, "grid": 2 * n * (n + 1), "tree": 2 ** (n + 1) - 2}[case["scene"]]


def value(case, key):
    """Seconds, and whether they were measured or come from as many motions as differences take."""
    found = case.get(key)
    if key == "gradient" and not found and case.get("motion"):
        return (case["bars"] + 1) * case["motion"], False
    if key == "motion" and found:
        found /= DURATION
    return found, True


def table(cases, key):
    solvers = list(dict.fromkeys(case["solver"] for case in cases))
    lines = ["| mechanism | bars | " + " | ".join(solvers) + " |", "| --- |" + " --- |" * (len(solvers) + 1)]
    for scene, name in SCENES.items():
        of_scene = [case for case in cases if case["scene"] == scene]
        for size in sorted({case["size"] for case in of_scene}):
            row = {case["solver"]: case for case in of_scene if case["size"] == size}
            cells = [cell(row.get(solver), key) for solver in solvers]
            count = next(iter(row.values()))["bars"]
            lines.append(f"| {name} {size} | {count} | " + " | ".join(cells) + " |")
        powers = [exponent([case for case in of_scene if case["solver"] == solver], key) for solver in solvers]
        lines.append(f"| {name}, exponent | | " + " | ".join(powers) + " |")
    return "\n".join(lines) + "\n"


def cell(case, key):
    if case is None:
        return ""
    seconds, measured = value(case, key)
    if not seconds:
        return "-"
    return text_of(seconds) + ("" if measured else " (d)")


def text_of(seconds):
    for unit, size in (("us", 1e-6), ("ms", 1e-3), ("s", 1.0)):
        if seconds < 999 * size or unit == "s":
            return f"{seconds / size:.3g} {unit}" if seconds < 999 else f"{seconds:.0f} s"


def exponent(cases, key):
    """Of the bars, by least squares over the logarithms, from ten bars on."""
    points = [(log(case["bars"]), log(value(case, key)[0])) for case in cases if value(case, key)[0] and case["bars"] >= 10]
    if len(points) < 3:
        return ""
    x, y = (sum(values) / len(points) for values in zip(*points))
    slope = sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)
    return f"{slope:.2f}"


def plot(cases, key):
    plt.rcParams.update({"svg.hashsalt": "costate", "font.size": 9, "svg.fonttype": "path"})
    figure, axes = plt.subplots(1, 4, figsize=(11, 3.4), sharey=True, layout="constrained")
    for axis, (scene, name) in zip(axes, SCENES.items()):
        for solver, colour in COLOURS.items():
            found = [case for case in cases if case["scene"] == scene and case["solver"] == solver]
            points = [(case["bars"], value(case, key)[0]) for case in found if value(case, key)[0]]
            if points:
                points.sort()
                style = "-" if key != "gradient" or any(case.get(key) for case in found) else "--"
                axis.loglog(*zip(*points), style, marker="o", markersize=3, color=colour, label=solver)
        axis.set_title(name, fontsize=10)
        axis.set_xlabel("bars")
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.grid(alpha=0.25, which="major")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("time (s)")
    handles = {label: line for axis in axes for line, label in zip(*axis.get_legend_handles_labels())}
    ordered = [solver for solver in COLOURS if solver in handles]
    figure.legend([handles[solver] for solver in ordered], ordered, loc="outside lower center", ncols=5, frameon=False)
    figure.suptitle(FIGURES[key], fontsize=11)
    figure.savefig(ROOT / "docs" / "images" / f"peers_{key}.svg", metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    import json

    report(json.loads((Path(__file__).parent / "results.json").read_text()))
