//! Order of elimination: minimum degree over nodes, the unknowns of one point or body and the rows of one joint.
//!
//! A row goes only after all coordinates it touches. Then every leading block of K is regular while M is positive definite and
//! the rows are independent, and elimination needs no pivoting.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::linear::Sparse;

/// Unknowns that are eliminated together, and which of them are coupled.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    /// Unknowns of each node, ascending; nodes of coordinates before those of rows.
    pub members: Vec<Vec<usize>>,
    /// Nodes of coordinates.
    pub bodies: usize,
    /// Other nodes that each is coupled with, ascending.
    pub neighbours: Vec<Vec<usize>>,
}

impl Graph {
    /// The graph of K over all coordinates and these rows of C.
    pub fn new(mass: &Sparse, jacobian: &Sparse, rows: &[usize]) -> Self {
        let nv = mass.len();
        let mut coupled: Vec<Vec<usize>> = (0..nv).map(|i| mass.row(i).columns.to_vec()).collect();
        for (k, &row) in rows.iter().enumerate() {
            let columns = jacobian.row(row).columns;
            for &column in columns {
                coupled[column].push(nv + k);
            }
            coupled.push(columns.to_vec());
        }
        for (unknown, others) in coupled.iter_mut().enumerate() {
            others.retain(|&other| other != unknown);
            others.sort_unstable();
            others.dedup();
        }
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut bodies = 0;
        for unknown in 0..coupled.len() {
            match members.last_mut() {
                Some(node) if unknown != nv && is_alike(&coupled, node[0], unknown) => node.push(unknown),
                _ => {
                    bodies += usize::from(unknown < nv);
                    members.push(vec![unknown]);
                }
            }
        }
        let neighbours = neighbours(&members, &coupled);
        Self {
            members,
            bodies,
            neighbours,
        }
    }

    /// Unknowns of these nodes together.
    fn size(&self, nodes: &[usize]) -> usize {
        nodes.iter().map(|&node| self.members[node].len()).sum()
    }

    /// Nodes in the order of elimination.
    pub fn order(&self) -> Vec<usize> {
        let count = self.members.len();
        let mut adjacent = self.neighbours.clone();
        // Coordinates that a row still waits for.
        let is_row = |node: usize| node >= self.bodies;
        let mut waiting: Vec<usize> = (0..count)
            .map(|node| if is_row(node) { adjacent[node].len() } else { 0 })
            .collect();
        let mut done = vec![false; count];
        let mut heap: BinaryHeap<Reverse<(usize, usize)>> = (0..count)
            .map(|node| Reverse((self.size(&adjacent[node]), node)))
            .collect();
        let mut order = Vec::with_capacity(count);
        while let Some(Reverse((degree, node))) = heap.pop() {
            if done[node] || waiting[node] > 0 || degree != self.size(&adjacent[node]) {
                continue;
            }
            done[node] = true;
            order.push(node);
            let own = std::mem::take(&mut adjacent[node]);
            for &other in &own {
                adjacent[other] = merged(&own, &adjacent[other], [node, other]);
                if is_row(other) && !is_row(node) && self.neighbours[other].binary_search(&node).is_ok() {
                    waiting[other] -= 1;
                }
                heap.push(Reverse((self.size(&adjacent[other]), other)));
            }
        }
        order
    }
}

/// Whether two unknowns are coupled with the same others, or with each other alone.
fn is_alike(coupled: &[Vec<usize>], a: usize, b: usize) -> bool {
    let others = |of: usize| coupled[of].iter().filter(move |&&other| other != a && other != b);
    !coupled[a].is_empty() && others(a).eq(others(b))
}

fn neighbours(members: &[Vec<usize>], coupled: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut node_of = vec![0; coupled.len()];
    for (node, unknowns) in members.iter().enumerate() {
        unknowns.iter().for_each(|&unknown| node_of[unknown] = node);
    }
    let of = |(node, unknowns): (usize, &Vec<usize>)| {
        let mut others: Vec<usize> = coupled[unknowns[0]].iter().map(|&other| node_of[other]).collect();
        others.retain(|&other| other != node);
        others.dedup();
        others
    };
    members.iter().enumerate().map(of).collect()
}

/// Union of two ascending lists without the given entries.
fn merged(a: &[usize], b: &[usize], without: [usize; 2]) -> Vec<usize> {
    let mut union = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) => *x.min(y),
            (Some(x), None) | (None, Some(x)) => *x,
            (None, None) => break,
        };
        i += usize::from(a.get(i) == Some(&next));
        j += usize::from(b.get(j) == Some(&next));
        if !without.contains(&next) {
            union.push(next);
        }
    }
    union
}
