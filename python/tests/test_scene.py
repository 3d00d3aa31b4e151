"""What a scene says of itself, and its messages."""

import math
import pickle

import pytest

import costate
from conftest import BALL, SCENES


def test_parameters_have_values_units_and_bounds(five_bar, ball):
    assert list(five_bar.parameters) == ["L01", "L02", "k1", "k2", "LA1", "L12", "L23", "L3B"]
    natural = five_bar.parameters["L01"]
    assert (natural.value, natural.unit, natural.lower, natural.upper) == (math.sqrt(5), "m", 0.5, 4.0)
    assert not natural.constant and natural.about.startswith("natural length")
    assert five_bar.parameters["LA1"].lower is None
    assert ball.parameters["g"] == costate.Parameter("g", 10.0, "", None, None, "", True)
    assert ball.parameters["twice"].value is None
    with pytest.raises(TypeError):
        five_bar.parameters["L01"] = 3.0


def test_outputs_and_objectives_have_their_expressions(five_bar, ball):
    assert dict(five_bar.outputs) == {"x2": "P2.x", "y2": "P2.y", "vx2": "P2.vx", "vy2": "P2.vy"}
    assert five_bar.objectives["int_height"] == 'Integral("(y2 + 2)^2")'
    assert list(ball.objectives) == ["y", "area", "both"]
    assert (ball.start, ball.end, ball.name) == (0.0, 1.2, "Ball")


def test_a_mistake_is_shown_at_its_line_with_advice():
    with pytest.raises(costate.SceneError) as caught:
        costate.Scene(BALL.replace('"ball.vy"', '"ball.vz"'), "ball.ron")
    error = caught.value
    line = 1 + BALL[: BALL.index('"ball.vy"')].count("\n")
    assert isinstance(error, costate.Error) and error.kind == "scene"
    assert error.name == "vy" and error.advice
    assert (error.place.file, error.place.line) == ("ball.ron", line)
    # The marks stand under what is wrong.
    shown, marks = error.place.text.splitlines()[1:3]
    first, last = marks.index("^"), marks.rindex("^") + 1
    assert shown[first:last].strip('"') in "ball.vz" and f"{line} | " in shown
    assert error.message in str(error) and error.advice in str(error) and shown in str(error)


def test_errors_have_kind_time_and_class(ball):
    with pytest.raises(costate.RequestError) as caught:
        ball.run(height=100.0)
    assert caught.value.name == "height"
    with pytest.raises(costate.FileError):
        costate.Scene.load(SCENES / "there is none.ron")
    with pytest.raises(costate.UsageError, match="did you mean `nullspace`"):
        ball.run(formulation="nulspace")
    with pytest.raises(costate.UsageError, match='no objective "z"'):
        ball.gradient("z")
    steps = costate.Scene(BALL.replace("duration: 1.2", "duration: 1.2, max_steps: 3"))
    with pytest.raises(costate.StepSizeError) as caught:
        steps.run()
    assert caught.value.kind == "step size" and 0.0 <= caught.value.time < 1.2
    assert "at t = " in str(caught.value)


def test_errors_can_be_pickled():
    with pytest.raises(costate.SceneError) as caught:
        costate.Scene("Scene(")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is costate.SceneError and str(copy) == str(caught.value) and copy.place == caught.value.place


def test_scenes_can_be_pickled(ball):
    copy = pickle.loads(pickle.dumps(ball))
    assert copy.text == ball.text and copy.run().objectives == ball.run().objectives


def test_a_pickled_scene_reads_its_tables_again(tmp_path, monkeypatch):
    for name in ["bouncing_ball_fit.ron", "bouncing_ball_fit.csv"]:
        (tmp_path / name).write_text((SCENES / name).read_text())
    monkeypatch.chdir(tmp_path)
    scene = costate.Scene.load("bouncing_ball_fit.ron")
    assert len(scene.files) == 2
    raw = pickle.dumps(scene)
    monkeypatch.chdir("/")
    assert pickle.loads(raw).run().objectives == scene.run().objectives
    (tmp_path / "bouncing_ball_fit.csv").unlink()
    with pytest.raises(costate.FileError, match="bouncing_ball_fit.csv"):
        pickle.loads(raw)


def test_check_tells_the_degrees_of_freedom(five_bar):
    found = five_bar.check()
    assert found.degrees_of_freedom == 2 and found["redundant"] == []
    assert "left crank.length" in found.touches.LA1
