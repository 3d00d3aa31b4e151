"""Exudyn: every bar a planar rigid body, joints as constraints, steps by the generalized-alpha method."""

import exudyn as exu
import numpy as np
from exudyn.itemInterface import (
    MarkerBodyRigid,
    NodeRigidBody2D,
    ObjectGround,
    ObjectJointRevolute2D,
    ObjectRigidBody2D,
    VObjectRigidBody2D,
)
from exudyn.utilities import LoadMassProportional, MarkerBodyMass

from mechanisms import DURATION, GRAVITY

NAME, COORDINATES = "Exudyn", "absolute coordinates"
MOST = 10**9


class Peer:
    LEVELS = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000]

    def __init__(self, mechanism):
        self.mechanism = mechanism
        self.system = exu.SystemContainer()
        self.mbs = mbs = self.system.AddSystem()
        ground = mbs.AddObject(ObjectGround())
        bodies, speeds = [], []
        for bar in mechanism.bars:
            ahead = np.array([np.cos(bar.angle), np.sin(bar.angle)])
            across = bar.rate * np.array([-ahead[1], ahead[0]])
            # Of the start and of the end.
            start = speeds[bar.parent][bar.at_end] if bar.parent >= 0 else np.zeros(2)
            speeds.append((start, start + across))
            bodies.append(self.body(np.array(bar.start) + ahead / 2, start + across / 2, bar))
        for k, bar in enumerate(mechanism.bars):
            mine = mbs.AddMarker(MarkerBodyRigid(bodyNumber=bodies[k], localPosition=[-0.5, 0, 0]))
            if bar.parent < 0:
                held = mbs.AddMarker(MarkerBodyRigid(bodyNumber=ground, localPosition=[*bar.start, 0]))
            else:
                held = self.end(bodies[bar.parent], 0.5 if bar.at_end else -0.5)
            mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[held, mine]))
        for bar, other, place in mechanism.loops:
            held = (
                self.end(bodies[other], 0.5)
                if other >= 0
                else mbs.AddMarker(MarkerBodyRigid(bodyNumber=ground, localPosition=[*place, 0]))
            )
            mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[held, self.end(bodies[bar], 0.5)]))
        self.bodies = bodies
        mbs.Assemble()

    def end(self, body, along):
        return self.mbs.AddMarker(MarkerBodyRigid(bodyNumber=body, localPosition=[along, 0, 0]))

    def body(self, centre, velocity, bar):
        node = self.mbs.AddNode(
            NodeRigidBody2D(
                referenceCoordinates=[*centre, bar.angle],
                initialVelocities=[*velocity, bar.rate],
            )
        )
        body = self.mbs.AddObject(
            ObjectRigidBody2D(
                physicsMass=1,
                physicsInertia=1 / 12,
                nodeNumber=node,
                visualization=VObjectRigidBody2D(show=False),
            )
        )
        marker = self.mbs.AddMarker(MarkerBodyMass(bodyNumber=body))
        self.mbs.AddLoad(LoadMassProportional(markerNumber=marker, loadVector=[*GRAVITY, 0]))
        return body

    def right_hand_side(self):
        """It has no call for accelerations alone."""
        return None

    def motion(self, steps):
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = DURATION
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.newton.useModifiedNewton = True
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
        settings.solutionSettings.writeSolutionToFile = False
        settings.linearSolverType = exu.LinearSolverType.EigenSparse
        settings.timeIntegration.newton.relativeTolerance = 1e-10
        settings.timeIntegration.newton.absoluteTolerance = 1e-12
        self.mbs.SolveDynamic(settings, exu.DynamicSolverType.GeneralizedAlpha)
        self.evaluations = None
        last = self.bodies[self.mechanism.last]
        return np.array(self.mbs.GetObjectOutputBody(last, exu.OutputVariableType.Position, [0.5, 0, 0]))[:2]
