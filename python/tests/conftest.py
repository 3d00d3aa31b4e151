"""What the tests share."""

import os
import pathlib

import numpy as np
import pytest

import costate

ROOT = pathlib.Path(os.environ.get("COSTATE_ROOT") or pathlib.Path(__file__).parents[2])
SCENES = ROOT / "scenes"


@pytest.fixture(scope="session")
def five_bar():
    return costate.Scene.load(SCENES / "five_bar.ron")


@pytest.fixture(scope="session")
def program():
    """The program, if it was built: ``COSTATE_PROGRAM`` says where it is."""
    path = os.environ.get("COSTATE_PROGRAM")
    if not path:
        pytest.skip("COSTATE_PROGRAM does not name the program")
    return path


BALL = """Scene(
    name: "Ball",
    space: Planar,
    parameters: { "height": (value: 1.25, unit: "m", bounds: (0.1, 10.0), about: "of the fall"), "e": 0.5, "push off": 0.0 },
    constants: { "g": 10.0, "twice": "2 * g" },
    gravity: ["push off", "-g"],
    points: { "ball": (at: [0, "height"], velocity: [0, 0], mass: 1) },
    contacts: { "floor": Touch(point: "ball", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution("e")) },
    outputs: { "y": "ball.y", "vy": "ball.vy" },
    objectives: { "y": Final("y"), "area": Integral("y"), "both": Formula("y + 2 * area") },
    simulation: (duration: 1.2),
)"""


@pytest.fixture
def ball():
    """Falls for half a second and bounces with half its speed: y = 2.5 (t - 1/2) - 5 (t - 1/2)^2 until t = 1."""
    return costate.Scene(BALL)


# A swing without an end, for what has to be stopped.
ENDLESS = """Scene(
    name: "Pendulum",
    space: Planar,
    parameters: { "l": 1.0 },
    gravity: [0, -10],
    ground: { "O": [0, 0] },
    points: { "P": (at: ["l", 0], mass: 1) },
    bodies: { "rod": Bar(from: "O", to: "P", length: "l", mass: 1) },
    outputs: { "x": "P.x" },
    objectives: { "x": Final("P.x"), "mean": Integral("P.x") },
    simulation: (duration: 100000, max_steps: 1000000000),
)"""


@pytest.fixture
def endless():
    return costate.Scene(ENDLESS)


TIGHT = {"rtol": 1e-12, "atol": 1e-13}

# Derivatives of int_height by the parameters in their order, of `tests/gradients/reference.rs`.
HEIGHT = np.array(
    [
        0.15888235673215192,
        -3.2814874022998892,
        0.0029433140286500795,
        0.0005016884018234459,
        -0.5134498931092786,
        -0.36790657879471167,
        -0.20129793623321968,
        -0.2178116840076812,
    ]
)


def start(scene):
    return np.array([known.value for known in scene.parameters.values() if not known.constant])
