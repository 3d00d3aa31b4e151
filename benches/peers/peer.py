"""One solver on one mechanism: `python3 peer.py MODULE SCENE N X Y ERROR`, with the place where the motion must end.

Prints a JSON object after every figure, so that what is known at a time limit is not lost.
"""

import importlib
import json
import sys
from time import perf_counter

import numpy as np

from mechanisms import mechanism
from timing import fastest


def main(module, scene, size, x, y, allowed):
    solver, found = importlib.import_module(module), {}

    def tell(**more):
        found.update(more)
        print(json.dumps(found), flush=True)

    model = mechanism(scene, int(size))
    tell(bars=len(model.bars))
    if len(model.bars) > solver.MOST:
        return tell(note=solver.WHY)
    if model.loops and not getattr(solver, "LOOPS", True):
        return tell(note="no loops")
    peer, wanted = solver.Peer(model), np.array([float(x), float(y)])
    level, error = None, None
    for level in peer.LEVELS:
        start = perf_counter()
        error = float(np.max(np.abs(peer.motion(level) - wanted)))
        tell(level=level, error=error)
        if error < float(allowed):
            seconds = perf_counter() - start
            tell(motion=seconds)
            break
    else:
        return tell(note=f"not within {float(allowed):.0e} m")
    motion = fastest(lambda: peer.motion(level), fewest=3 if seconds < 10 else 1)
    tell(motion=min(motion, seconds), evaluations=peer.evaluations)
    tell(right_hand_side=peer.right_hand_side())
    if hasattr(peer, "gradient") and not model.loops:
        gradients(peer, wanted, float(allowed), tell)


def gradients(peer, wanted, allowed, tell):
    steps = 8
    while np.max(np.abs(peer.last(peer.gradient(steps)[0]) - wanted)) > allowed:
        steps *= 2
    slopes = peer.gradient(steps)[1]
    tell(gradient=fastest(lambda: peer.gradient(steps)), slopes=list(slopes), steps=steps)


main(*sys.argv[1:])
