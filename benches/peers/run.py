"""costate beside other solvers on the same mechanisms: see README.md.

Measures, compares the motions, and writes results.json, the tables of docs/performance.md and the plots beside it.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from report import report

HERE = Path(__file__).resolve().parent
SIZES = {
    "chain": [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
    "windows": [2, 5, 10, 20, 50, 100, 200],
    "grid": [3, 5, 10, 20, 30],
    "tree": [2, 3, 4, 5, 6, 7, 8, 9],
}
PEERS = {
    "Pinocchio": ("with_pinocchio", "pin"),
    "MuJoCo": ("with_mujoco", "mujoco"),
    "Drake": ("with_drake", "drake"),
    "Exudyn": ("with_exudyn", "exudyn"),
}
# By how much the end of a motion may be wrong, m.
ERROR = 1e-5
TOLERANCES = [f"1e-{k}" for k in range(3, 11)]


def main():
    asked = arguments()
    program = asked.costate or build()
    pin = ["taskset", "-c", asked.core] if asked.core else []
    solvers = [name for name in ["costate", *PEERS] if not asked.solvers or name in asked.solvers]
    cases = {}
    for case in json.loads(asked.results.read_text())["cases"] if asked.keep else []:
        cases[case["solver"], case["scene"], case["size"]] = case
    for scene in asked.scenes or SIZES:
        for size in SIZES[scene]:
            if not asked.least <= size <= asked.most:
                continue
            ours = costate([*pin, program], scene, size)
            found = {"costate": ours} | {
                name: peer(pin, PEERS[name][0], scene, size, ours, asked.limit)
                for name in solvers
                if name != "costate"
            }
            for name in solvers:
                check(found[name], ours, name, scene, size)
                case = {"solver": name, "scene": scene, "size": size} | found[name]
                case = {key: value for key, value in case.items() if key not in ("slopes", "exact", "place")}
                cases[name, scene, size] = case
                print(json.dumps(case), flush=True)
    versions = {name: version(package) for name, (_, package) in PEERS.items()}
    versions |= {"SciPy": version("scipy"), "NumPy": version("numpy"), "Python": platform.python_version()}
    order = [(name, scene, size) for scene in SIZES for size in SIZES[scene] for name in ["costate", *PEERS]]
    cases = [cases[key] for key in order if key in cases]
    results = {"machine": machine(), "error": ERROR, "versions": versions, "cases": cases}
    asked.results.write_text(json.dumps(results, indent=1) + "\n")
    report(results)


def arguments():
    parser = argparse.ArgumentParser(description="costate beside other solvers")
    parser.add_argument("--costate", help="benches/peers.rs as a program; built when not given")
    parser.add_argument("--core", default="1", help="processor core to measure on; empty for any")
    parser.add_argument("--limit", type=float, default=60, help="seconds for one solver on one mechanism")
    parser.add_argument("--least", type=int, default=0, help="smallest size")
    parser.add_argument("--most", type=int, default=10**9, help="largest size")
    parser.add_argument("--scenes", nargs="*", choices=SIZES)
    parser.add_argument("--solvers", nargs="*", choices=["costate", *PEERS])
    parser.add_argument("--keep", action="store_true", help="keep the results of what is not measured")
    parser.add_argument("--results", type=Path, default=HERE / "results.json")
    return parser.parse_args()


def build():
    """Compiles costate for the comparison."""
    command = ["cargo", "bench", "--bench", "peers", "--no-run", "--message-format", "json"]
    lines = subprocess.run(command, cwd=HERE.parent, check=True, stdout=subprocess.PIPE, text=True).stdout
    built = [json.loads(line) for line in lines.splitlines()]
    return next(found["executable"] for found in built if found.get("target", {}).get("name") == "peers")


def costate(command, scene, size):
    """At the loosest tolerance that keeps the error, against the tightest."""
    [exact] = run([*command, scene, str(size), "1e-12"])
    for tolerance in TOLERANCES:
        [found] = run([*command, scene, str(size), tolerance])
        error = distance(found["place"], exact["place"])
        if error < ERROR:
            return found | {"error": error, "level": float(tolerance), "exact": exact}
    raise SystemExit(f"costate does not keep {ERROR} m on {scene} {size}")


def run(command):
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in lines.splitlines()]


def peer(pin, module, scene, size, ours, limit):
    place = [str(number) for number in ours["exact"]["place"]]
    command = [*pin, sys.executable, str(HERE / "peer.py"), module, scene, str(size), *place, str(ERROR)]
    environment = os.environ | dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"], "1")
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            text, errors = process.communicate(timeout=limit)
            said = [*errors.strip().splitlines(), f"status {process.returncode}"][-2 if errors.strip() else -1]
            note = None if process.returncode == 0 else f"ended: {said}"
        except subprocess.TimeoutExpired:
            process.kill()
            text, note = process.communicate()[0], f"more than {limit:.0f} s"
    lines = [line for line in text.splitlines() if line.startswith("{")]
    found = json.loads(lines[-1]) if lines else {}
    return found | ({"note": note} if note else {})


def check(found, ours, name, scene, size):
    """Motions and gradients of different mechanisms are not compared."""
    if "motion" in found and found["error"] > ERROR:
        raise SystemExit(f"{name} does not move {scene} {size} as costate does")
    if name != "costate" and "slopes" in found:
        expected = ours["exact"]["slopes"]
        most = max(map(abs, expected))
        # Both list the bars in their own order.
        if distance(sorted(found["slopes"]), sorted(expected)) > 1e-3 * most + 1e-12:
            raise SystemExit(f"{name} has other gradients of {scene} {size} than costate")


def distance(a, b):
    return max(abs(x - y) for x, y in zip(a, b, strict=True))


def machine():
    names = {line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")}
    return f"{os.cpu_count()} cores, {', '.join(sorted(names))}"


if __name__ == "__main__":
    main()
