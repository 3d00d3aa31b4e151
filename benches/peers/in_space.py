"""Right-hand sides in space beside Pinocchio's ABA and MuJoCo's: `python3 in_space.py`, as run.py.

Prints the table and writes it between the markers of docs/performance.md. Accelerations at the start have to agree.
"""

import json
import subprocess
from math import cos, sin
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

from report import PAGE, text_of
from run import arguments, build
from timing import fastest, repeated

ROOT = Path(__file__).resolve().parents[2]
URDF = ROOT / "tests" / "scenes" / "spatial" / "xarm7.urdf"
ANGLES = [0.3, -0.5, 0.2, 0.7, -0.4, 0.6, 0.1]
GRAVITY = [0, 0, -9.81]
SIZES = [1, 10, 100]
# By how much accelerations may differ, over the largest.
ERROR = 1e-6


def rates(n):
    """Angular velocities of the rods in their axes, which are those of the ground, each beside that of the rod before."""
    omega = np.array([[sin(i), cos(i), sin(2 * i)] for i in range(1, n + 1)])
    return omega, np.diff(omega, axis=0, prepend=0)


def pinocchio_chain(n):
    model = pin.Model()
    model.gravity.linear = np.array(GRAVITY, dtype=float)
    # About the centre of mass.
    inertia = pin.Inertia(1.0, np.array([0.5, 0, 0]), np.diag([0.01, 0.09, 0.09]))
    for k in range(n):
        place = pin.SE3(np.eye(3), np.array([1.0 if k else 0.0, 0, 0]))
        joint = model.addJoint(k, pin.JointModelSpherical(), place, f"j{k}")
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    tip = model.addFrame(pin.Frame("tip", n, 0, pin.SE3(np.eye(3), np.array([1.0, 0, 0])), pin.FrameType.OP_FRAME))
    data, q, v = model.createData(), pin.neutral(model), rates(n)[1].flatten()
    a = pin.aba(model, data, q, v, np.zeros(model.nv)).copy()
    pin.forwardKinematics(model, data, q, v, a)
    found = pin.getFrameClassicalAcceleration(model, data, tip, pin.LOCAL_WORLD_ALIGNED).linear.copy()
    return repeated(lambda: pin.aba(model, data, q, v, np.zeros(model.nv))), found


def pinocchio_arm():
    model = pin.buildModelFromUrdf(str(URDF))
    data, q, v, zero = model.createData(), np.array(ANGLES), np.zeros(7), np.zeros(7)
    return repeated(lambda: pin.aba(model, data, q, v, zero)), pin.aba(model, data, q, v, zero).copy()


def mujoco_time(model, data):
    """From steps: each calls it four times."""
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = 1e-7
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    return fastest(lambda: mujoco.mj_step(model, data, nstep=10)) / 40


def mujoco_chain(n):
    spec = mujoco.MjSpec()
    spec.option.gravity = GRAVITY
    parent = spec.worldbody
    for k in range(n):
        parent = parent.add_body(name=f"b{k}", pos=[1.0 if k else 0.0, 0, 0], mass=1, ipos=[0.5, 0, 0])
        parent.inertia = [0.01, 0.09, 0.09]
        parent.explicitinertial = True
        parent.add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel[:] = rates(n)[1].flatten()
    mujoco.mj_forward(model, data)
    found = tip(rates(n)[0], np.array(data.qacc).reshape(n, 3))
    return mujoco_time(model, data), found


def tip(omega, joint_accelerations):
    """Acceleration of the last end, from those of the joints in the axes of the rods."""
    found, alpha, before, arm = np.zeros(3), np.zeros(3), np.zeros(3), np.array([1.0, 0, 0])
    for own, relative in zip(omega, joint_accelerations):
        # The axes in which the relative rate stands turn with the rod.
        alpha = alpha + relative + np.cross(before, own - before)
        found = found + np.cross(alpha, arm) + np.cross(own, np.cross(own, arm))
        before = own
    return found


def mujoco_arm():
    model = mujoco.MjModel.from_xml_path(str(URDF))
    data = mujoco.MjData(model)
    data.qpos[:] = ANGLES
    mujoco.mj_forward(model, data)
    found = np.array(data.qacc)
    return mujoco_time(model, data), found


def costate(command, scene, n):
    found = subprocess.run([*command, "in_space", scene, str(n)], check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(found.stdout)
    return found["right_hand_side"], np.array(found["outputs"])


def main():
    asked = arguments()
    pinned = ["taskset", "-c", asked.core] if asked.core else []
    command = [*pinned, asked.costate or build()]
    rows = [(f"chain of {n}", n, costate(command, "chain_in_space", n), pinocchio_chain(n), mujoco_chain(n)) for n in SIZES]
    rows.append(("arm of seven joints", 7, costate(command, "arm", 7), pinocchio_arm(), mujoco_arm()))
    lines = ["| mechanism | costate | per body | Pinocchio | MuJoCo | ratio to Pinocchio | to MuJoCo |", "| --- |" + " --- |" * 6]
    for name, bodies, (ours, expected), *others in rows:
        for _, found in others:
            if np.max(np.abs(found - expected)) > ERROR * np.max(np.abs(expected)):
                raise SystemExit(f"{name}: {found} instead of {expected}")
        seconds = [text_of(value) for value in (ours, ours / bodies, *(time for time, _ in others))]
        ratios = [f"{ours / time:.2f}" for time, _ in others]
        lines.append(f"| {name} | " + " | ".join(seconds + ratios) + " |")
    text = "\n".join(lines) + "\n"
    print(text)
    begin, end = "<!-- peers: in space -->\n", "<!-- end of peers: in space -->"
    page = PAGE.read_text()
    if begin in page:
        before, rest = page.split(begin)
        PAGE.write_text(before + begin + text + end + rest.split(end, 1)[1])


if __name__ == "__main__":
    main()
