//! What a hybrid system offers so that its motion can be differentiated.

use super::{At, HybridSystem};
use crate::error::Result;
use crate::linear::{Lane, dot};

/// A direction in time, state and numbers (parameters of the elements).
#[derive(Clone, Copy, Debug)]
pub struct Tangent<'a> {
    /// dt.
    pub t: f64,
    /// dx, n entries.
    pub x: &'a [f64],
    /// Derivatives of the system's numbers.
    pub numbers: &'a [f64],
}

impl<'a> Tangent<'a> {
    /// The direction (dt, dx, dnumbers).
    pub fn new(t: f64, x: &'a [f64], numbers: &'a [f64]) -> Self {
        Self { t, x, numbers }
    }
}

/// Gradients with respect to state and numbers, which transposed derivatives add to.
#[derive(Debug)]
pub struct Cotangents<'a> {
    /// n entries.
    pub x: &'a mut [f64],
    /// One per number of the system.
    pub numbers: &'a mut [f64],
}

impl<'a> Cotangents<'a> {
    /// Gradients by the state and by the numbers.
    pub fn new(x: &'a mut [f64], numbers: &'a mut [f64]) -> Self {
        Self { x, numbers }
    }

    /// The same gradients for a part of what is added.
    pub fn reborrow(&mut self) -> Cotangents<'_> {
        Cotangents::new(self.x, self.numbers)
    }

    /// Adds gradients with respect to the state and the numbers.
    pub fn add(self, x: &[f64], numbers: &[f64]) {
        let slots = self.x.iter_mut().chain(self.numbers);
        for (slot, value) in slots.zip(x.iter().chain(numbers)) {
            *slot += value;
        }
    }
}

/// Directions in the state and the numbers of a system.
#[derive(Clone, Copy, Debug)]
pub struct Tangents<'a> {
    /// Derivatives of the state, one block of n entries per direction.
    pub x: &'a [f64],
    /// Derivatives of the numbers, one list per direction.
    pub numbers: &'a [Vec<f64>],
    /// The same by [`lanes`](crate::linear::lanes).
    pub lanes: &'a [Vec<Lane>],
}

/// Exact derivatives of flow, guards and jumps along directions in time, state and numbers.
///
/// Numbers are the parameters of the system's elements; gradients are accumulated with respect to them.
pub trait Differentiable: HybridSystem {
    /// Derivative of a jump at a point, prepared once for many directions.
    type LinearizedJump;

    /// Number of numbers.
    fn numbers(&self) -> usize;

    /// Prepares the derivatives of the flow at a point; the next two calls refer to it.
    ///
    /// # Errors
    /// As for the flow.
    fn linearize(&self, at: At<Self::Mode>, workspace: &mut Self::Workspace) -> Result<()>;

    /// [`HybridSystem::flow`], [`HybridSystem::flow_jacobian`] and [`Differentiable::linearize`] at one point, for systems that
    /// share work between them.
    ///
    /// # Errors
    /// As these three.
    fn flow_and_jacobian(
        &self,
        at: At<Self::Mode>,
        workspace: &mut Self::Workspace,
        dx: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<()> {
        self.flow(at, workspace, dx)?;
        self.flow_jacobian(at, workspace, jacobian)?;
        self.linearize(at, workspace)
    }

    /// Writes dF along a direction.
    fn flow_jvp(&self, at: At<Self::Mode>, along: &Tangent, workspace: &mut Self::Workspace, out: &mut [f64]);

    /// Writes F at a point, and of each of several directions dF to its block of `slopes`; `scratch` keeps its memory.
    ///
    /// # Errors
    /// As for the flow.
    fn flow_tangents(
        &self,
        at: At<Self::Mode>,
        tangents: &Tangents,
        workspace: &mut Self::Workspace,
        (dx, slopes): (&mut [f64], &mut [f64]),
        scratch: &mut Vec<f64>,
    ) -> Result<()> {
        tangents_by_jacobian(self, at, tangents, workspace, (dx, slopes), scratch)
    }

    /// Adds F_x^T mu and F_theta^T mu.
    fn flow_vjp(&self, at: At<Self::Mode>, mu: &[f64], workspace: &mut Self::Workspace, cotangents: Cotangents);

    /// The same for several costates, one block of n entries each: adds to their blocks of `x_bar` and `numbers_bar`.
    fn flow_vjps(
        &self,
        at: At<Self::Mode>,
        mu: &[f64],
        workspace: &mut Self::Workspace,
        (x_bar, numbers_bar): (&mut [f64], &mut [f64]),
    ) {
        let (n, count) = (at.x.len(), self.numbers());
        let blocks = mu.chunks_exact(n).zip(x_bar.chunks_exact_mut(n));
        for (k, (mu, x_bar)) in blocks.enumerate() {
            let numbers_bar = &mut numbers_bar[k * count..][..count];
            self.flow_vjp(at, mu, workspace, Cotangents::new(x_bar, numbers_bar));
        }
    }

    /// Prepares the derivatives of the projection at a projected state; the next two calls refer to it.
    fn linearize_projection(&self, at: At<Self::Mode>, workspace: &mut Self::Workspace) {
        let _ = (at, workspace);
    }

    /// Turns the derivative of a state, along which the numbers change by `numbers`, into that of its projection.
    fn project_jvp(&self, at: At<Self::Mode>, along: &mut [f64], numbers: &[f64], workspace: &mut Self::Workspace) {
        let _ = (at, along, numbers, workspace);
    }

    /// The same for several directions: each block of n entries of `along`, with the numbers by its list.
    fn project_tangents(
        &self,
        at: At<Self::Mode>,
        along: &mut [f64],
        (numbers, lanes): (&[Vec<f64>], &[Vec<Lane>]),
        workspace: &mut Self::Workspace,
    ) {
        let _ = lanes;
        for (block, numbers) in along.chunks_exact_mut(at.x.len()).zip(numbers) {
            self.project_jvp(at, block, numbers, workspace);
        }
    }

    /// Turns the costate of a projected state into that of the state before, and adds the part of the numbers to
    /// `numbers_bar`: mu.dx + numbers_bar.dnumbers is the same for the projected dx and what it was projected from.
    fn project_vjp(
        &self,
        at: At<Self::Mode>,
        mu: &mut [f64],
        numbers_bar: &mut [f64],
        workspace: &mut Self::Workspace,
    ) {
        let _ = (at, mu, numbers_bar, workspace);
    }

    /// The same for several costates, each with its block of n entries of `mu` and of `numbers_bar`.
    fn project_vjps(
        &self,
        at: At<Self::Mode>,
        (mu, numbers_bar): (&mut [f64], &mut [f64]),
        workspace: &mut Self::Workspace,
    ) {
        let count = self.numbers();
        for (k, mu) in mu.chunks_exact_mut(at.x.len()).enumerate() {
            self.project_vjp(at, mu, &mut numbers_bar[k * count..][..count], workspace);
        }
    }

    /// Derivative of a guard along a direction.
    ///
    /// # Errors
    /// As for the guard.
    fn guard_jvp(
        &self,
        guard: usize,
        at: At<Self::Mode>,
        along: &Tangent,
        workspace: &mut Self::Workspace,
    ) -> Result<f64>;

    /// Adds the gradient of a guard, time held.
    ///
    /// # Errors
    /// As for the guard.
    fn guard_vjp(
        &self,
        guard: usize,
        at: At<Self::Mode>,
        workspace: &mut Self::Workspace,
        cotangents: Cotangents,
    ) -> Result<()>;

    /// Prepares the derivative of the jump of the fired guards at the state before it.
    ///
    /// # Errors
    /// As for the jump.
    fn linearize_jump(
        &self,
        at: At<Self::Mode>,
        fired: &[usize],
        workspace: &mut Self::Workspace,
    ) -> Result<Self::LinearizedJump>;

    /// Writes the derivative of the state after the jump along a direction in the arguments before it.
    fn jump_jvp(
        &self,
        tangent: &Self::LinearizedJump,
        along: &Tangent,
        workspace: &mut Self::Workspace,
        out: &mut [f64],
    );

    /// Adds T_x^T mu and T_theta^T mu for the state after the jump x+ = T(t, x, theta), time held.
    fn jump_vjp(
        &self,
        tangent: &Self::LinearizedJump,
        mu: &[f64],
        workspace: &mut Self::Workspace,
        cotangents: Cotangents,
    );
}

/// [`Differentiable::flow_tangents`] by F_x, one product per direction, and the derivatives by the numbers.
///
/// # Errors
/// As for the flow.
pub fn tangents_by_jacobian<H: Differentiable + ?Sized>(
    system: &H,
    at: At<H::Mode>,
    tangents: &Tangents,
    workspace: &mut H::Workspace,
    (dx, slopes): (&mut [f64], &mut [f64]),
    scratch: &mut Vec<f64>,
) -> Result<()> {
    let n = dx.len();
    scratch.resize(n * n + 2 * n, 0.0);
    let (jacobian, rest) = scratch.split_at_mut(n * n);
    let (still, slope) = rest.split_at_mut(n);
    system.flow_and_jacobian(at, workspace, dx, jacobian)?;
    let blocks = tangents.x.chunks_exact(n).zip(slopes.chunks_exact_mut(n));
    for ((s, out), numbers) in blocks.zip(tangents.numbers) {
        system.flow_jvp(at, &Tangent::new(0.0, still, numbers), workspace, slope);
        for (i, row) in jacobian.chunks_exact(n).enumerate() {
            out[i] = slope[i] + dot(row, s);
        }
    }
    Ok(())
}
