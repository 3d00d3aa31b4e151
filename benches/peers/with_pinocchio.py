"""Pinocchio: joint coordinates, and multipliers for loops. Steps by SciPy's Dormand-Prince 8(5,3)."""

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

from mechanisms import DURATION, GRAVITY
from timing import repeated

NAME, COORDINATES = "Pinocchio", "joint coordinates"
# Its data hold a table of 6 n^3 numbers: 10 GB for 600 joints.
MOST = 600
WHY = "its data hold 6 n^3 numbers"


def inertia():
    # About the axis of the bar a number that does not matter: nothing turns about it.
    return pin.Inertia(1.0, np.array([0.5, 0, 0]), np.diag([1e-9, 1 / 12, 1 / 12]))


def moved(x, y=0.0):
    return pin.SE3(np.eye(3), np.array([x, y, 0.0]))


def matrix(found, columns):
    """Of one joint it comes as a vector."""
    return np.reshape(found, (-1, columns))


def symmetric(upper):
    return np.triu(upper) + np.triu(upper, 1).T


class Peer:
    LEVELS = [10.0**-k for k in range(2, 13)]

    def __init__(self, mechanism):
        self.mechanism, bars = mechanism, mechanism.bars
        self.model = model = pin.Model()
        model.gravity.linear = np.array([*GRAVITY, 0.0])
        for k, bar in enumerate(bars):
            grounded = bar.parent < 0
            place = moved(*bar.start) if grounded else moved(1.0 if bar.at_end else 0.0)
            joint = model.addJoint(bar.parent + 1, pin.JointModelRZ(), place, f"j{k}")
            model.appendBodyToJoint(joint, inertia(), pin.SE3.Identity())
        self.q, self.v = map(np.array, mechanism.joints())
        self.zero = np.zeros(model.nv)
        tip = pin.Frame("tip", mechanism.last + 1, 0, moved(1.0), pin.FrameType.OP_FRAME)
        self.tip = model.addFrame(tip)
        self.data = model.createData()
        self.loops()

    def loops(self):
        self.contacts = pin.StdVec_RigidConstraintModel()
        self.contact_data = pin.StdVec_RigidConstraintData()
        for bar, other, place in self.mechanism.loops:
            at = moved(1.0) if other >= 0 else moved(*place)
            kind = pin.ContactType.CONTACT_3D
            contact = pin.RigidConstraintModel(
                kind, self.model, bar + 1, moved(1.0), other + 1, at, pin.LOCAL
            )
            self.contacts.append(contact)
            self.contact_data.append(contact.createData())
        if self.mechanism.loops:
            # Across the plane the loops hold nothing: their rows depend on each other.
            self.settings = pin.ProximalSettings(1e-10, 1e-8, 20)
            pin.initConstraintDynamics(self.model, self.data, self.contacts, self.contact_data)

    def acceleration(self, q, v):
        if not self.mechanism.loops:
            return pin.aba(self.model, self.data, q, v, self.zero)
        return pin.constraintDynamics(
            self.model, self.data, q, v, self.zero, self.contacts, self.contact_data, self.settings
        )

    def right_hand_side(self):
        return repeated(lambda: self.acceleration(self.q, self.v))

    def motion(self, tolerance):
        n, calls = self.model.nv, 0

        def flow(_, x):
            return np.concatenate([x[n:], self.acceleration(x[:n], x[n:])])

        start = np.concatenate([self.q, self.v])
        found = solve_ivp(flow, (0, DURATION), start, "DOP853", rtol=tolerance, atol=tolerance)
        self.evaluations = found.nfev
        return self.last(found.y[:n, -1])

    def last(self, q):
        pin.forwardKinematics(self.model, self.data, q)
        return self.data.oMi[self.mechanism.last + 1].act(np.array([1.0, 0, 0]))[:2]

    def gradient(self, steps):
        """Slopes of the last x by all masses: Runge-Kutta steps of order 4, run back with the exact derivatives of `aba`."""
        n, h = self.model.nv, DURATION / steps
        stages, x = [], np.concatenate([self.q, self.v])
        for _ in range(steps):
            k, places = np.zeros(2 * n), []
            for part in (0, h / 2, h / 2, h):
                y = x + part * k
                a = self.acceleration(y[:n], y[n:]).copy()
                k = np.concatenate([y[n:], a])
                places.append((y, a))
            stages.append(places)
            rates = [np.concatenate([y[n:], a]) for y, a in places]
            x = x + h / 6 * (rates[0] + 2 * rates[1] + 2 * rates[2] + rates[3])
        return x[:n], self.back(stages, x, h)

    def back(self, stages, x, h):
        n, model, data = self.model.nv, self.model, self.data
        slopes = np.zeros(n)
        jacobian = pin.computeFrameJacobian(model, data, x[:n], self.tip, pin.LOCAL_WORLD_ALIGNED)
        costate = np.concatenate([matrix(jacobian, n)[0], np.zeros(n)])
        mass = inertia().toDynamicParameters()
        for places in reversed(stages):
            back, total = np.zeros(2 * n), np.zeros(2 * n)
            for (y, a), weight, part in zip(reversed(places), (1, 2, 2, 1), (0, h, h / 2, h / 2)):
                pull = weight * h / 6 * costate + part * back
                pin.computeABADerivatives(model, data, y[:n], y[n:], self.zero)
                solved = symmetric(matrix(data.Minv, n)) @ pull[n:]
                by_q, by_v = matrix(data.ddq_dq, n).T, matrix(data.ddq_dv, n).T
                back = np.concatenate([by_q @ pull[n:], pull[:n] + by_v @ pull[n:]])
                regressor = pin.computeJointTorqueRegressor(model, data, y[:n], y[n:], a)
                slopes -= (solved @ matrix(regressor, 10 * n)).reshape(n, 10) @ mass
                total += back
            costate = costate + total
        return slopes
