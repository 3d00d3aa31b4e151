"""Derivatives of outputs over time: against closed forms, differences and the program."""

import csv
import subprocess

import numpy as np
import pytest

import costate
from conftest import SCENES, TIGHT


def test_they_are_those_of_a_fall_and_a_bounce(ball):
    found = ball.sensitivities(["height", "e"])
    assert found["y"].shape == (len(found.t), 2) and list(found) == ["y", "vy"] and len(found) == 2
    # With t1 = sqrt(h / 5): y = h - 5 t^2 before it, and s e t1 10 - 5 s^2 with s = t - t1 until t1 (1 + 2 e).
    t, h, e = found.t, 1.25, 0.5
    t1, slope = np.sqrt(h / 5), 1 / np.sqrt(20 * h)
    before, after = found.phase == 0, found.phase == 1
    assert np.abs(found["y", "height"][before] - 1.0).max() < 1e-9 and np.abs(found["y", "e"][before]).max() < 1e-9
    s = t[after] - t1
    by_height = slope * (-10 * e * t1 + 10 * e * s + 10 * s)
    assert np.abs(found["y", "height"][after] - by_height).max() < 1e-8
    assert np.abs(found["y", "e"][after] - 10 * t1 * s).max() < 1e-8
    assert found.event_times.shape == (len(found.events), 2)
    assert np.allclose(found.event_times[:2], [[slope, 0.0], [slope * (1 + 2 * e), 2 * t1]], atol=1e-9)
    assert found.events[0].name == "floor" and np.array_equal(found.phase, ball.run().phase)


def test_they_are_those_of_differences(five_bar):
    found = five_bar.sensitivities("k1", **TIGHT)
    start, step = five_bar.parameters["k1"].value, 1e-2
    inside = [k for k in range(0, len(found.t), 37) if all(abs(event.t - found.t[k]) > 1e-3 for event in found.events)]
    high, low = (five_bar.run(k1=start + h, **TIGHT).at(found.t[inside]) for h in (step, -step))
    for name in five_bar.outputs:
        difference = (high[name] - low[name]) / (2 * step)
        assert np.abs(found[name, "k1"][inside] - difference).max() < 1e-6 * max(1.0, np.abs(difference).max()), name
    assert np.abs(found["y2"]).max() > 1e-3 and len(inside) > 10


def test_they_are_those_of_the_program(five_bar, program, tmp_path):
    run = [program, "gradient", str(SCENES / "five_bar.ron"), "--out", str(tmp_path), "--quiet"]
    subprocess.run(run, capture_output=True, check=True, timeout=120)
    found = five_bar.sensitivities()
    with open(tmp_path / "sensitivities.csv", newline="") as file:
        header, *rows = csv.reader(file)
    wanted = np.array(rows, dtype=np.float64)
    assert np.array_equal(wanted[:, 0], found.t) and np.array_equal(wanted[:, 1], found.phase + 1)
    for column, name in enumerate(header[2:], 2):
        output, *by = name.removeprefix("d(").removesuffix(")").split(")/d(")
        values = found[output, by[0]] if by else found.outputs[output]
        assert np.array_equal(wanted[:, column], values), name
    with open(tmp_path / "event_times.csv", newline="") as file:
        header, *rows = csv.reader(file)
    first = header.index("dt/d(L01)")
    assert np.array_equal(np.array([row[first:] for row in rows], dtype=np.float64), found.event_times)


def test_parameters_can_be_chosen_and_values_given(five_bar):
    whole = five_bar.sensitivities(k1=110.0)
    found = five_bar.sensitivities(parameters=["k1", "L01"], k1=110.0)
    assert found.parameters == ["k1", "L01"]
    places = [whole.parameters.index(name) for name in found.parameters]
    assert np.array_equal(found["y2"], whole["y2"][:, places])
    assert np.array_equal(found.event_times, whole.event_times[:, places])


def test_tables_of_other_libraries(ball):
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    found = ball.sensitivities(["height", "e"])
    table = found.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert list(table)[:5] == ["t", "phase", "y", "d(y)/d(height)", "d(y)/d(e)"]
    assert np.array_equal(table["d(y)/d(e)"], found["y", "e"])
    data = found.to_xarray()
    assert isinstance(data, xarray.Dataset) and data["y"].dims == ("t", "parameter")
    assert np.array_equal(data["vy"].sel(parameter="e"), found["vy", "e"]) and np.array_equal(data["phase"], found.phase)


def test_what_there_is_not_is_refused_by_name(ball):
    with pytest.raises(costate.UsageError, match='nothing is differentiated by "g"'):
        ball.sensitivities("g")
    with pytest.raises(TypeError, match="one parameter"):
        ball.sensitivities(["e", "height"], side="above")
    with pytest.raises(KeyError):
        ball.sensitivities()["z"]


# Two balls with a damper between them that reach their floors at one instant.
TWINS = """Scene(
    name: "Twins", space: Planar, gravity: [0, -9.81],
    parameters: { "h1": 1.0, "h2": 1.5 },
    points: { "P": (at: [0, "h1"], mass: 1), "Q": (at: [1, "h2"], mass: 3) },
    forces: { "d": Spring(from: "P", to: "Q", stiffness: 0, natural_length: 0, damping: 1.5) },
    contacts: {
        "p": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)),
        "q": Touch(point: "Q", surface: Plane(through: [0, 0.5], normal: [0, 1]), law: Restitution(0.5)),
    },
    outputs: { "y": "P.y" }, simulation: (duration: 0.6),
)"""


def test_each_side_has_its_own_where_events_part_them():
    scene = costate.Scene(TWINS)
    with pytest.raises(costate.EventError, match="differ on the two sides") as caught:
        scene.sensitivities(**TIGHT)
    assert "side=" in caught.value.advice
    last = {}
    for sign, side in ((-1.0, "below"), (1.0, "above")):
        found = scene.sensitivities("h2", side=side, **TIGHT)
        last[side] = found["y", "h2"][-1]

        def quotient(step, sign=sign):
            return (scene.run(h2=1.5 + sign * step, **TIGHT).outputs.y - scene.run(**TIGHT).outputs.y) / (sign * step)

        assert abs(last[side] - (2 * quotient(1e-5) - quotient(2e-5))) < 1e-6, side
        assert found.event_times.shape == (len(found.events), 1)
    assert abs(last["below"] - last["above"]) > 1e-4
    with pytest.raises(costate.UsageError, match="side"):
        scene.sensitivities("h2", side="left")
