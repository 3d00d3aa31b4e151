"""The interpreter goes on while anything is computed, and Ctrl-C ends it."""

import subprocess
import sys
import threading
import time

import pytest

import costate
from conftest import ENDLESS

INTERRUPTED = """
import os, signal, sys, threading, time
import costate

# A shell that runs the tests in the background has it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
scene = costate.Scene(sys.argv[1])
sent = []

def send():
    time.sleep(0.4)
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=send).start()
try:
    eval(sys.argv[2])
except KeyboardInterrupt:
    print("interrupted after", time.perf_counter() - sent[0])
else:
    print("came to its end")
"""

CALLS = [
    "scene.run(record=False)",
    "scene.run()",
    "scene.gradient(method='forward')",
    "scene.gradient(duration=2000.0)",
    "scene.hessian()",
    "scene.sweep({'l': (1.0, 2.0, 50)})",
    "scene.gradient(certify=True)",
]


@pytest.mark.parametrize("call", CALLS)
def test_an_interruption_ends_a_call_at_once(call):
    command = [sys.executable, "-c", INTERRUPTED, ENDLESS, call]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert found.stdout.startswith("interrupted after"), found.stdout + found.stderr
    assert float(found.stdout.split()[-1]) < 0.1, call


def test_a_time_limit_ends_a_call_by_name(endless):
    clock = time.perf_counter()
    with pytest.raises(costate.Interrupted, match="time limit of 0.2 s") as caught:
        endless.run(record=False, max_time=0.2)
    assert caught.value.time > 0.0 and time.perf_counter() - clock < 1.0
    with pytest.raises(costate.UsageError, match="max_time"):
        endless.run(max_time=-1.0)


def test_other_threads_go_on_meanwhile(endless):
    ended = threading.Event()

    def compute():
        with pytest.raises(costate.Interrupted):
            endless.run(record=False, max_time=0.5)
        ended.set()

    thread = threading.Thread(target=compute)
    thread.start()
    turns = 0
    while not ended.is_set():
        turns += 1
        time.sleep(0.001)
    thread.join()
    assert turns > 50


def test_two_threads_compute_at_once(endless):
    """Each ends by the clock after 0.5 s, whatever else the machine does; one after the other they would take a second."""

    def compute():
        with pytest.raises(costate.Interrupted):
            endless.run(record=False, max_time=0.5)

    threads = [threading.Thread(target=compute) for _ in range(2)]
    clock = time.perf_counter()
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert time.perf_counter() - clock < 0.9


def test_results_of_threads_are_those_of_one(five_bar):
    wanted = five_bar.gradient("y2").array
    found = []
    threads = [threading.Thread(target=lambda: found.append(five_bar.gradient("y2").array)) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(found) == 4 and all((array == wanted).all() for array in found)
