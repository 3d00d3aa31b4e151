#!/usr/bin/env python3
"""Writes lamp_shade.obj: a profile turned about the x axis, which a cord hangs along.

    python3 scenes/meshes/lamp_shade.py > scenes/meshes/lamp_shade.obj
"""
from math import cos, pi, sin

AROUND = 32
# Distance along the axis and radius, in metres: cap, outside of the shade, rim, inside of the shade.
PROFILE = [(-0.16, 0.0), (-0.16, 0.03), (-0.12, 0.035), (-0.11, 0.06), (-0.06, 0.13), (0.0, 0.18), (0.07, 0.21),
           (0.07, 0.2), (0.0, 0.17), (-0.06, 0.12), (-0.1, 0.05), (-0.1, 0.0)]

print("# A lamp shade, in metres: a profile turned about the x axis. Written by lamp_shade.py.")
print("o shade")
for along, radius in PROFILE:
    for i in range(AROUND):
        angle = 2 * pi * i / AROUND
        print(f"v {along:.4f} {radius * cos(angle):.5f} {radius * sin(angle):.5f}")
for j in range(len(PROFILE) - 1):
    for i in range(AROUND):
        a, b = j * AROUND + i, j * AROUND + (i + 1) % AROUND
        print("f", a + 1, a + AROUND + 1, b + AROUND + 1, b + 1)
