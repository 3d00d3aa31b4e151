"""The exported page in a browser: it plays, scrubs, slides, draws only what changes, and asks no host.

COSTATE_PROGRAM is the program; Chromium and its driver have to be installed.
"""

import bisect
import csv
import json
import math
import os
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

SCENES = Path(os.environ["COSTATE_ROOT"]) / "scenes"
PROGRAM = os.environ["COSTATE_PROGRAM"]


def exported(folder, scene, *options):
    page = folder / "scene.html"
    subprocess.run([PROGRAM, "export", str(scene), "--out", str(page), "--quiet", *options], check=True, timeout=120)
    return page


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    for option in [
        "--headless=new",
        "--no-sandbox",
        "--use-gl=angle",
        "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader",
        "--window-size=1280,800",
    ]:
        options.add_argument(option)
    options.binary_location = "/usr/bin/chromium"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path="/usr/bin/chromedriver")
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()


def opened(browser, page):
    browser.get(page.as_uri())
    until(browser, "window.costate?.ready && costate.frames() > 0")
    return browser


def until(browser, condition, seconds=20):
    end = time.monotonic() + seconds
    while not browser.execute_script(f"return Boolean({condition})"):
        assert time.monotonic() < end, condition
        time.sleep(0.02)


def now(browser):
    return browser.execute_script("return costate.time()")


def check_quiet(browser):
    """No message in the console, and no request but for the page itself."""
    # The software renderer says that it is slow.
    messages = [entry["message"] for entry in browser.get_log("browser") if "GPU stall" not in entry["message"]]
    assert messages == []
    requests = [entry["message"] for entry in browser.get_log("performance") if "Network.requestWillBeSent" in entry["message"]]
    assert requests and all('"url":"file:' in request or '"url":"data:' in request for request in requests), requests


@pytest.fixture(scope="module")
def five_bar(browser, tmp_path_factory):
    return opened(browser, exported(tmp_path_factory.mktemp("page"), SCENES / "five_bar.ron"))


def test_it_plays_and_draws_nothing_while_it_stands_still(five_bar):
    five_bar.execute_script("costate.setTime(0)")
    time.sleep(0.3)
    before = five_bar.execute_script("return costate.frames()")
    time.sleep(0.5)
    assert five_bar.execute_script("return costate.frames()") == before
    five_bar.find_element(By.ID, "play").click()
    until(five_bar, "costate.time() > 0.3")
    five_bar.find_element(By.ID, "play").click()
    stopped = now(five_bar)
    time.sleep(0.3)
    assert now(five_bar) == stopped and five_bar.execute_script("return costate.frames()") > before + 2


def test_keys_and_events_scrub(five_bar):
    body = five_bar.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.HOME)
    assert now(five_bar) == 0
    body.send_keys("n")
    assert abs(now(five_bar) - 0.3118276) < 1e-6
    body.send_keys(Keys.ARROW_RIGHT)
    assert now(five_bar) > 0.3118277
    body.send_keys(Keys.END)
    assert now(five_bar) == 5
    assert "5.0000" in five_bar.find_element(By.ID, "readout").text


def test_a_slider_moves_the_mechanism_and_says_how_far_to_trust_it(five_bar):
    matrices = "return JSON.stringify([...Array(40).keys()].map((k) => costate.matrixOf(k)))"
    five_bar.execute_script("costate.setTime(1)")
    original = five_bar.execute_script(matrices)
    assert five_bar.execute_script("return costate.setParameter('L01', 2.238)")
    assert five_bar.execute_script(matrices) != original
    assert "L01 = 2.238" in five_bar.find_element(By.ID, "note").text
    assert five_bar.find_element(By.ID, "trust").text == ""
    five_bar.execute_script("costate.setParameter('L01', 100)")
    said = five_bar.find_element(By.ID, "trust").text
    assert "not to be trusted" in said and "where ground has a new event (impact)" in said
    five_bar.find_element(By.ID, "reset").click()
    assert five_bar.execute_script(matrices) == original


def ran(scene, *options):
    """Times and outputs of a run, by name."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([PROGRAM, "run", str(scene), "--out", folder, "--quiet", *options], check=True, timeout=120)
        with open(Path(folder) / "outputs.csv") as file:
            rows = [list(map(float, row.values())) for row in csv.DictReader(file)]
            file.seek(0)
            names = next(csv.reader(file))
    return dict(zip(names, map(list, zip(*rows))))


def test_curves_follow_a_slider_to_second_order(five_bar):
    scene = SCENES / "five_bar.ron"
    own = five_bar.execute_script("return costate.curveOf('y2').values")

    def error(change):
        value = math.sqrt(5) + change
        assert five_bar.execute_script(f"return costate.setParameter('L01', {value!r})")
        curve = five_bar.execute_script("return costate.curveOf('y2')")
        changed = ran(scene, "--set", f"L01={value!r}")
        points = [(t, y) for t, y in zip(curve["times"], curve["values"]) if y is not None]
        times, values = changed["t"], changed["y2"]
        most = 0
        for t, y in points[::7]:
            k = bisect.bisect_right(times, t)
            # Away from impacts, where lines between samples have corners.
            if 2 <= k < len(times) - 2 and all(times[j + 1] > times[j] for j in range(k - 2, k + 1)):
                nodes = range(k - 2, k + 2)
                weights = [math.prod((t - times[j]) / (times[i] - times[j]) for j in nodes if j != i) for i in nodes]
                most = max(most, abs(sum(w * values[i] for w, i in zip(weights, nodes)) - y))
        return most, max(abs(y - z) for (_, y), z in zip(points, own))

    # Longer springs strike the ground once more.
    (whole, moved), (half, _) = error(-4e-3), error(-2e-3)
    assert whole < 0.1 * moved and 3 < whole / half < 5, (whole, half, moved)
    five_bar.find_element(By.ID, "reset").click()
    assert five_bar.execute_script("return costate.curveOf('y2').values") == own


def test_curves_say_whether_to_trust_them(five_bar):
    note = five_bar.find_element(By.CSS_SELECTOR, "#outputs .bar .quiet")
    assert not note.is_displayed()
    five_bar.execute_script("costate.setParameter('L01', 2.238)")
    assert note.text == "predicted; pale: the original"
    five_bar.execute_script("costate.setParameter('L01', 100)")
    assert "not to be trusted" in note.text
    five_bar.find_element(By.ID, "reset").click()
    assert not note.is_displayed()


def test_the_table_has_the_gradients(five_bar):
    table = five_bar.find_element(By.CSS_SELECTOR, "#objectives table")
    assert "L01" in table.text and "int_height" in table.text
    shown = subprocess.run(
        [PROGRAM, "gradient", str(SCENES / "five_bar.ron"), "--quiet", "--json"], capture_output=True, check=True, text=True
    )
    slope = json.loads(shown.stdout)["objectives"]["int_height"]["gradient"]["L01"]
    assert f"{slope:.5g}"[:6] in table.text.replace("\u2212", "-")


def test_bars_are_coloured_by_a_gradient_and_everything_else_is_grey(five_bar):
    colours = "return [...Array(JSON.parse(document.getElementById('data').textContent).blocks.length).keys()].map(costate.colourOf)"
    own = five_bar.execute_script(colours)
    data = json.loads(five_bar.find_element(By.ID, "data").get_attribute("textContent"))
    heat = data["heat"]
    objective = next(found for found in heat["objectives"] if found["name"] == "int_height")
    select = five_bar.find_element(By.CSS_SELECTOR, "#heat select")
    Select(select).select_by_value("int_height")
    shown = five_bar.execute_script(colours)
    bars = {block: slope for (_, blocks), slope in zip(heat["bars"], objective["slopes"]) for block in blocks}
    strongest = max(bars, key=lambda block: abs(bars[block]))
    assert shown[strongest] == heat["scale"][0 if bars[strongest] < 0 else -1]
    assert len({shown[block] for block in bars}) == len(heat["bars"])
    for block, colour in enumerate(shown):
        if block not in bars and data["blocks"][block]["material"] == "spring":
            assert colour[1:3] == colour[3:5] == colour[5:7]
    scale = five_bar.find_element(By.ID, "heat-scale")
    assert scale.is_displayed() and f"{objective['largest']:.3g}" in scale.text
    # Another theme keeps them.
    five_bar.find_element(By.ID, "theme-toggle").click()
    assert five_bar.execute_script(colours)[strongest] == shown[strongest]
    five_bar.find_element(By.ID, "theme-toggle").click()
    Select(select).select_by_value("")
    assert five_bar.execute_script(colours) == own and not scale.is_displayed()


def test_names_are_accessible_and_the_console_is_quiet(five_bar):
    for control in five_bar.find_elements(By.CSS_SELECTOR, "button, input, select, [role=img]"):
        if control.is_displayed():
            assert control.accessible_name.strip(), control.get_attribute("outerHTML")
    check_quiet(five_bar)


def test_times_of_predicted_curves_never_descend_though_events_overtake(browser, tmp_path):
    scene = tmp_path / "bounces.ron"
    scene.write_text(
        """Scene(name: "bounces", space: Planar, gravity: [0, -9.81], parameters: { "h": 1.0 },
        points: { "P": (at: [0, "h"], mass: 1), "Q": (at: [1, 1.3], mass: 1) },
        contacts: {
            "p": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)),
            "q": Touch(point: "Q", surface: Plane(through: [0, 0], normal: [0, 1]), law: Restitution(0.5)),
        },
        outputs: { "y": "P.y" }, simulation: (duration: 0.7))"""
    )
    opened(browser, exported(tmp_path, scene))
    gone = 0
    for value in [0, 10]:
        assert browser.execute_script(f"return costate.setParameter('h', {value})")
        curve = browser.execute_script("return costate.curveOf('y')")
        assert all(a <= b for a, b in zip(curve["times"], curve["times"][1:]))
        gone += curve["values"].count(None)
    assert gone > 2


def test_a_slider_next_to_its_value_shows_the_motion_as_it_is(browser, tmp_path):
    # It turns 52 degrees from one predicted state to the next.
    opened(browser, exported(tmp_path, SCENES / "heavy_top.ron"))
    apart = browser.execute_script(
        """
        const all = () => [...Array(10).keys()].flatMap((k) => costate.matrixOf(k)).filter(Number.isFinite);
        const { parameters, times } = JSON.parse(document.getElementById('data').textContent);
        const moved = parameters.find(({ prediction }) => prediction);
        let most = 0;
        for (let k = 0; k < 50; k++) {
            costate.setTime(times.at(-1) * (k + 0.37) / 50);
            costate.setParameter(moved.name, moved.value);
            const original = all();
            costate.setParameter(moved.name, moved.value * (1 + 1e-9));
            all().forEach((x, i) => { most = Math.max(most, Math.abs(x - original[i])); });
        }
        return most;
        """
    )
    assert 0 < apart < 1e-6


@pytest.mark.parametrize("scene", ["robot_arm", "jansen_walker_3d", "clutch"])
def test_other_mechanisms_are_drawn_on_a_telephone_too(browser, tmp_path, scene):
    browser.set_window_size(500, 844)
    opened(browser, exported(tmp_path, SCENES / f"{scene}.ron", "--duration", "0.4"))
    width = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1]
    browser.execute_script("costate.setTime(0.2)")
    check_quiet(browser)
    browser.set_window_size(1280, 800)


def test_a_report_has_sections_with_tables_and_plots(browser, tmp_path):
    page = tmp_path / "report.html"
    scene = SCENES / "bouncing_ball_fit.ron"
    options = ["--vary", "e=0.74:0.76:3", "--quiet"]
    subprocess.run([PROGRAM, "report", str(scene), "--out", str(page), *options], check=True, timeout=120)
    opened(browser, page)
    links = browser.find_elements(By.CSS_SELECTOR, "#contents a")
    assert [link.text for link in links] == ["Run", "Certificate", "Optimization", "Sweep"]
    links[3].click()
    until(browser, "document.getElementById('section-4').getBoundingClientRect().top < innerHeight")
    images = browser.find_elements(By.CSS_SELECTOR, "#sections img")
    assert len(images) >= 5
    for image in images:
        until(browser, "[...document.querySelectorAll('#sections img')].every((x) => x.complete)")
        assert image.get_attribute("naturalWidth") != "0" and image.accessible_name.startswith("Plot: ")
    swept = browser.find_element(By.ID, "section-4")
    assert len(swept.find_elements(By.CSS_SELECTOR, "tbody tr")) == 3 and "misfit" in swept.text
    check_quiet(browser)
    browser.set_window_size(500, 844)
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    browser.set_window_size(1280, 800)


def test_a_report_without_a_motion_says_why(browser, tmp_path):
    scene, page = tmp_path / "scene.ron", tmp_path / "report.html"
    scene.write_text(
        """Scene(name: "falls", space: Planar, gravity: [0, -9.81], parameters: { "h": 1.0 }, points: { "P": (at: [0, "h"], mass: 1) },
        outputs: { "root": "sqrt(P.y - 0.5)" }, objectives: { "y": Final("P.y") }, simulation: (duration: 1))"""
    )
    run = subprocess.run([PROGRAM, "report", str(scene), "--out", str(page), "--vary", "h=1:2:3"], capture_output=True, timeout=120)
    assert run.returncode == 1
    browser.get(page.as_uri())
    until(browser, "window.costate?.ready")
    assert not browser.find_element(By.TAG_NAME, "main").is_displayed()
    assert '"root" is NaN' in browser.find_element(By.CSS_SELECTOR, "#section-1 .warning").text
    assert "3 points" in browser.find_element(By.ID, "sections").text
    check_quiet(browser)


def test_a_report_shows_nothing_of_what_is_left_out_and_names_as_they_are(browser, tmp_path):
    scene, page = tmp_path / "scene.ron", tmp_path / "report.html"
    scene.write_text(
        """Scene(name: "falls", space: Planar, gravity: [0, -9.81], parameters: { "h": 1.0 }, points: { "P": (at: [0, "h"], mass: 1) },
        outputs: { "01": "P.y", "1e3": "P.vy" }, objectives: { "y": Final("P.y") }, simulation: (duration: 0.1))"""
    )
    report = [PROGRAM, "report", str(scene), "--out", str(page), "--quiet", "--without"]
    subprocess.run([*report, "run,gradient,certificate,optimization"], check=True, timeout=120)
    opened(browser, page)
    assert not browser.find_element(By.ID, "objectives").is_displayed()
    subprocess.run([*report, "certificate"], check=True, timeout=120)
    opened(browser, page)
    assert browser.find_element(By.ID, "objectives").is_displayed()
    cells = [cell.text for cell in browser.find_elements(By.CSS_SELECTOR, "#section-1 tbody td")]
    assert "01" in cells and "1e3" in cells and "0.95095" in cells


def test_a_page_says_once_why_it_has_no_gradients_and_no_colours(browser, tmp_path):
    scene = tmp_path / "corner.ron"
    # Both walls at once, and one after the other for any other place.
    corner = """Scene(name: "corner", space: Planar, gravity: [0, 0], %s
        contacts: {
            "floor": Touch(point: "P", surface: Plane(through: [0, 0], normal: [0.6, 0.8]), law: Restitution(0.5)),
            "wall": Touch(point: "P", surface: Plane(through: [0, 0], normal: [1, 0]), law: Restitution(1)),
        },
        objectives: { "y": Final("P.y") }, simulation: (duration: 0.6))"""
    rod = """points: { "P": (guess: [1, 1], velocity: [-2, -2], mass: 1), "Q": (at: [2, 1], velocity: [-2, -2], mass: 1) },
        bodies: { "rod": Bar(from: "Q", to: "P", length: 1) },"""
    point = """parameters: { "x": 1.0 }, points: { "P": (at: ["x", 1], velocity: [-2, -2], mass: 1) },"""
    for given, colours in [(rod, True), (point, False)]:
        scene.write_text(corner % given)
        opened(browser, exported(tmp_path, scene))
        text = browser.find_element(By.ID, "objectives").text
        assert text.count("one after the other") == 1 and ("have no colours" in text) == colours
    check_quiet(browser)


def test_damaged_data_are_said_to_be_damaged(browser, tmp_path):
    page = exported(tmp_path, SCENES / "incline_block.ron")
    page.write_text(page.read_text().replace('"format":1', '"format":99', 1))
    browser.get(page.as_uri())
    assert "format 99" in browser.find_element(By.ID, "message").text
