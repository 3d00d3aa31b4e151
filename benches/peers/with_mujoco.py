"""MuJoCo: joint coordinates, Runge-Kutta steps of order 4 of constant size; loops are stiff springs by its own design."""

import mujoco
import numpy as np

from mechanisms import DURATION, GRAVITY
from timing import fastest

NAME, COORDINATES = "MuJoCo", "joint coordinates"
MOST = 10**9


class Peer:
    # Steps of a motion.
    LEVELS = [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000]

    def __init__(self, mechanism):
        self.mechanism, bars = mechanism, mechanism.bars
        spec = mujoco.MjSpec()
        spec.option.gravity = [*GRAVITY, 0]
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
        spec.option.timestep = 1e-4
        spec.option.tolerance = 1e-14
        spec.option.iterations = 100
        bodies = []
        for k, bar in enumerate(bars):
            grounded = bar.parent < 0
            parent = spec.worldbody if grounded else bodies[bar.parent]
            place = [*bar.start, 0] if grounded else [1.0 if bar.at_end else 0.0, 0, 0]
            body = parent.add_body(name=f"b{k}", pos=place, mass=1, ipos=[0.5, 0, 0])
            body.inertia = [1 / 1200, 1 / 12, 1 / 12]
            body.explicitinertial = True
            body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
            body.add_site(name=f"e{k}", pos=[1, 0, 0])
            bodies.append(body)
        for k, (bar, other, place) in enumerate(mechanism.loops):
            if other < 0:
                spec.worldbody.add_site(name=f"g{k}", pos=[*place, 0])
            self.close(spec, f"e{bar}", f"e{other}" if other >= 0 else f"g{k}")
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.angles, self.rates = map(np.array, mechanism.joints())

    @staticmethod
    def close(spec, a, b):
        loop = spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_SITE)
        loop.name1, loop.name2 = a, b
        # As stiff as it can be: the impedance at its limit.
        loop.solimp = [0.9999, 0.9999, 0.001, 0.5, 2]
        loop.solref = [0.004, 1]

    def start(self):
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = self.angles, self.rates

    def right_hand_side(self):
        """From steps: each calls it four times."""
        self.start()
        self.model.opt.timestep = 1e-7
        return fastest(lambda: mujoco.mj_step(self.model, self.data, nstep=10)) / 40

    def motion(self, steps):
        self.start()
        self.model.opt.timestep = DURATION / steps
        mujoco.mj_step(self.model, self.data, nstep=steps)
        self.evaluations = 4 * steps
        mujoco.mj_kinematics(self.model, self.data)
        return self.data.site(f"e{self.mechanism.last}").xpos[:2].copy()
