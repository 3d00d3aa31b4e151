"""Drake: joint coordinates, Runge-Kutta steps of order 5 with control of their size, compiled."""

import numpy as np
from pydrake.all import (
    FixedOffsetFrame,
    MultibodyPlant,
    ResetIntegratorFromFlags,
    RevoluteJoint,
    RigidTransform,
    RotationalInertia,
    Simulator,
    SpatialInertia,
    UnitInertia,
)

from mechanisms import DURATION, GRAVITY
from timing import repeated

NAME, COORDINATES = "Drake", "joint coordinates"
MOST = 10**9
# In continuous time it has no constraints between bodies.
LOOPS = False


class Peer:
    LEVELS = [10.0**-k for k in range(2, 13)]

    def __init__(self, mechanism):
        self.mechanism, bars = mechanism, mechanism.bars
        self.plant = plant = MultibodyPlant(time_step=0.0)
        plant.mutable_gravity_field().set_gravity_vector([*GRAVITY, 0])
        thin = UnitInertia.StraightLine(1 / 12, [1, 0, 0]).ShiftFromCenterOfMass([-0.5, 0, 0])
        inertia = SpatialInertia(1.0, [0.5, 0, 0], thin)
        bodies = []
        for k, bar in enumerate(bars):
            grounded = bar.parent < 0
            parent = plant.world_body() if grounded else bodies[bar.parent]
            place = [*bar.start, 0] if grounded else [1.0 if bar.at_end else 0.0, 0, 0]
            body = plant.AddRigidBody(f"b{k}", inertia)
            hinge = FixedOffsetFrame(f"f{k}", parent.body_frame(), RigidTransform(place))
            frames = plant.AddFrame(hinge), body.body_frame()
            plant.AddJoint(RevoluteJoint(f"j{k}", *frames, [0, 0, 1]))
            bodies.append(body)
        plant.Finalize()
        self.bodies = bodies
        self.angles, self.rates = map(np.array, mechanism.joints())
        self.context = plant.CreateDefaultContext()

    def start(self):
        # Joints are numbered by the plant.
        q, v = np.zeros(len(self.bodies)), np.zeros(len(self.bodies))
        for k in range(len(self.bodies)):
            joint = self.plant.GetJointByName(f"j{k}")
            q[joint.position_start()], v[joint.velocity_start()] = self.angles[k], self.rates[k]
        self.context.SetTime(0.0)
        self.plant.SetPositions(self.context, q)
        self.plant.SetVelocities(self.context, v)

    def right_hand_side(self):
        self.start()
        state = self.plant.GetPositionsAndVelocities(self.context)

        def call():
            self.plant.SetPositionsAndVelocities(self.context, state)
            self.plant.EvalTimeDerivatives(self.context)

        return repeated(call)

    def motion(self, accuracy):
        self.start()
        simulator = Simulator(self.plant, self.context)
        integrator = ResetIntegratorFromFlags(simulator, "runge_kutta5", 0.1)
        integrator.set_target_accuracy(accuracy)
        simulator.Initialize()
        simulator.AdvanceTo(DURATION)
        self.evaluations = integrator.get_num_derivative_evaluations()
        pose = self.plant.EvalBodyPoseInWorld(self.context, self.bodies[self.mechanism.last])
        return pose.multiply([1.0, 0, 0])[:2]

