"""The mechanisms of ../scenes once more, as bars that hang from each other and loops that they close."""

from dataclasses import dataclass, field, replace
from math import atan2, sin

GRAVITY = (0.0, -9.81)
# Simulated time of every scene, s.
DURATION = 0.5


@dataclass
class Bar:
    """A thin uniform bar of 1 m and 1 kg, hinged at its start."""

    parent: int  # -1: the ground
    at_end: bool  # of the parent; else at its start
    start: tuple  # where the hinge is at first
    angle: float  # absolute, at first
    rate: float


@dataclass
class Mechanism:
    bars: list = field(default_factory=list)
    # The end of the bar is at the end of another one, or at a place of the ground.
    loops: list = field(default_factory=list)
    # The bar whose end is compared.
    last: int = 0

    def joints(self):
        """Angles and rates at first, each beside those of the parent."""
        parents = [self.bars[bar.parent] if bar.parent >= 0 else Bar(-1, True, (0, 0), 0.0, 0.0) for bar in self.bars]
        pairs = list(zip(self.bars, parents))
        return [a.angle - b.angle for a, b in pairs], [a.rate - b.rate for a, b in pairs]


def mechanism(kind, n):
    """From points and bars as the scenes have them. A bar hangs from its start as soon as something holds that."""
    points, pairs, last = {"chain": chain, "windows": windows, "grid": grid, "tree": tree}[kind](n)
    found = Mechanism()
    owner = {name: (-1, True) for name, (_, velocity) in points.items() if velocity is None}
    while pairs:
        waiting = []
        for start, end in pairs:
            if start not in owner:
                waiting.append((start, end))
                continue
            index = len(found.bars)
            found.bars.append(hang(points, owner[start], start, end))
            if end in owner:
                found.loops.append((index, owner[end][0], points[end][0]))
            else:
                owner[end] = (index, True)
        pairs = waiting
    found.last = owner[last][0]
    return depth_first(found)


def depth_first(mechanism):
    """The bars in an order in which everything that hangs from a bar follows it at once, which Pinocchio asks for."""
    hanging = {}
    for k, bar in enumerate(mechanism.bars):
        hanging.setdefault(bar.parent, []).append(k)
    order, waiting = [], [-1]
    while waiting:
        bar = waiting.pop()
        order += [bar] if bar >= 0 else []
        waiting += reversed(hanging.get(bar, []))
    new = {old: k for k, old in enumerate(order)} | {-1: -1}
    bars = [replace(mechanism.bars[k], parent=new[mechanism.bars[k].parent]) for k in order]
    loops = [(new[a], new[b], place) for a, b, place in mechanism.loops]
    return Mechanism(bars, loops, new[mechanism.last])


def hang(points, owner, start, end):
    (a, va), (b, vb) = points[start], points[end]
    va, vb = va or (0, 0), vb or (0, 0)
    across = (b[0] - a[0], b[1] - a[1])
    # Of a bar of 1 m.
    rate = across[0] * (vb[1] - va[1]) - across[1] * (vb[0] - va[0])
    return Bar(owner[0], owner[1], a, atan2(across[1], across[0]), rate)


def chain(n):
    points = {i: ((i, 0), (0, 0) if i else None) for i in range(n + 1)}
    return points, [(i - 1, i) for i in range(1, n + 1)], n


def windows(n):
    points = {("A", i): ((i, 0), None) for i in range(n + 1)}
    points |= {("B", i): ((i, 1), (1, 0)) for i in range(n + 1)}
    pairs = [(("A", i), ("B", i)) for i in range(n + 1)]
    return points, pairs + [(("B", i - 1), ("B", i)) for i in range(1, n + 1)], ("B", n)


def grid(n):
    places = [(i, j) for i in range(n + 1) for j in range(n + 1)]
    points = {(i, j): ((i, -j), (sin(j), sin(2 * i)) if i + j else None) for i, j in places}
    pairs = [((i - 1, j), (i, j)) for i, j in places if i]
    return points, pairs + [((i, j - 1), (i, j)) for i, j in places if j], (n, n)


def tree(n):
    points = {(0, 1): ((0, 0), None)}
    points |= {(k, j): ((k, 0), (0, sin(j))) for k in range(1, n + 1) for j in range(1, 2**k + 1)}
    pairs = [((k - 1, (j + 1) // 2), (k, j)) for k, j in points if k]
    return points, pairs, (n, 1)
