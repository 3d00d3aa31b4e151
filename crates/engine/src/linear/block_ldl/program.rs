//! The elimination as a flat program: which panels there are, and where every entry of K and every update goes.

use super::order::Graph;
use super::panels::is_unrolled;
use crate::linear::Sparse;

/// Entries above which panels are not widened at the price of zeros in them.
const WIDE: usize = 8;

/// Marks an entry that has no place of its own: the upper half of M, and rows that are left out.
pub(in crate::linear) const NOWHERE: u32 = u32::MAX;

/// Elimination of `k` neighbouring unknowns with `u` unknowns coupled to them.
#[derive(Clone, Copy, Debug)]
pub(in crate::linear) struct Step {
    /// First unknown, in the order of elimination.
    pub at: usize,
    pub k: usize,
    pub u: usize,
    /// First entry of the panel: k x k by rows, then k columns of u entries.
    pub panel: usize,
    /// First entry of its u unknowns in `below`, and of its u (u + 1) / 2 places in `updates`.
    pub below: usize,
    pub updates: usize,
}

/// The program for one pattern of K.
#[derive(Clone, Debug)]
pub(in crate::linear) struct Program {
    /// Place of each unknown in the order of elimination.
    pub place: Vec<u32>,
    pub steps: Vec<Step>,
    /// Coupled unknowns of the steps, in the order of elimination, ascending within a step.
    pub below: Vec<u32>,
    /// Entries of the panels that the updates of the steps go to, by rows of the lower half.
    pub updates: Vec<u32>,
    /// Entries of the panels for those of M, of C and of the diagonal.
    pub mass: Vec<u32>,
    pub jacobian: Vec<u32>,
    pub diagonal: Vec<u32>,
    /// Entries of all panels.
    pub len: usize,
    /// Step of each unknown, in the order of elimination.
    step_of: Vec<u32>,
}

impl Program {
    /// The program for M and these rows of C.
    pub fn new(mass: &Sparse, jacobian: &Sparse, rows: &[usize]) -> Self {
        let graph = Graph::new(mass, jacobian, rows);
        let tree = Tree::new(&graph);
        let mut program = Self {
            place: vec![0; mass.len() + rows.len()],
            steps: Vec::new(),
            below: Vec::new(),
            updates: Vec::new(),
            mass: Vec::new(),
            jacobian: Vec::new(),
            diagonal: Vec::new(),
            len: 0,
            step_of: Vec::new(),
        };
        program.lay_out(&graph, &tree);
        program.place_updates();
        program.place_entries(mass, jacobian, rows);
        program
    }

    /// Places of the unknowns and sizes of the panels.
    fn lay_out(&mut self, graph: &Graph, tree: &Tree) {
        let mut starts = vec![0];
        for &node in &tree.order {
            for &unknown in &graph.members[node] {
                self.place[unknown] = (starts[starts.len() - 1] + unknown - graph.members[node][0]) as u32;
            }
            starts.push(starts[starts.len() - 1] + graph.members[node].len());
        }
        for group in tree.groups(&starts) {
            let (at, k) = (starts[group.first], starts[group.end] - starts[group.first]);
            let below = self.below.len();
            for &rank in &group.coupled {
                self.below.extend(starts[rank] as u32..starts[rank + 1] as u32);
            }
            let u = self.below.len() - below;
            self.step_of.resize(at + k, self.steps.len() as u32);
            self.steps.push(Step {
                at,
                k,
                u,
                panel: self.len,
                below,
                updates: 0,
            });
            self.len += k * (k + u);
        }
    }

    fn place_updates(&mut self) {
        for index in 0..self.steps.len() {
            self.steps[index].updates = self.updates.len();
            let Step { below, u, .. } = self.steps[index];
            for row in below..below + u {
                for column in below..=row {
                    let entry = self.entry(self.below[row], self.below[column]);
                    self.updates.push(entry);
                }
            }
        }
    }

    fn place_entries(&mut self, mass: &Sparse, jacobian: &Sparse, rows: &[usize]) {
        let nv = mass.len();
        for i in 0..nv {
            for &j in mass.row(i).columns {
                let entry = if j <= i { self.between(i, j) } else { NOWHERE };
                self.mass.push(entry);
            }
        }
        let mut chosen = vec![None; jacobian.len()];
        for (k, &row) in rows.iter().enumerate() {
            chosen[row] = Some(nv + k);
        }
        for (row, unknown) in chosen.into_iter().enumerate() {
            for &column in jacobian.row(row).columns {
                let entry = unknown.map_or(NOWHERE, |unknown| self.between(unknown, column));
                self.jacobian.push(entry);
            }
        }
        self.diagonal = (0..self.place.len()).map(|i| self.between(i, i)).collect();
    }

    /// Entry of the panels for two unknowns.
    pub fn between(&self, a: usize, b: usize) -> u32 {
        let (a, b) = (self.place[a], self.place[b]);
        self.entry(a.max(b), a.min(b))
    }

    /// Entry of the panels by places, the later one first.
    fn entry(&self, row: u32, column: u32) -> u32 {
        let Step {
            at, k, u, panel, below, ..
        } = self.steps[self.step_of[column as usize] as usize];
        let (row_place, j) = (row as usize, column as usize - at);
        let entry = if row_place < at + k {
            panel + (row_place - at) * k + j
        } else {
            let coupled = &self.below[below..below + u];
            panel + k * k + j * u + coupled.partition_point(|&place| place < row)
        };
        entry as u32
    }
}

/// The elimination tree: which later nodes each node is coupled with when its turn comes.
struct Tree {
    /// Nodes in an order in which each comes right after what it depends on.
    order: Vec<usize>,
    /// Ranks of the later nodes that a rank is coupled with, ascending.
    coupled: Vec<Vec<usize>>,
}

/// Ranks that make up one step.
struct Group {
    first: usize,
    end: usize,
    coupled: Vec<usize>,
}

impl Tree {
    fn new(graph: &Graph) -> Self {
        let first = Self {
            coupled: coupled(graph, &graph.order()),
            order: graph.order(),
        };
        let order: Vec<usize> = first.postorder().into_iter().map(|rank| first.order[rank]).collect();
        Self {
            coupled: coupled(graph, &order),
            order,
        }
    }

    /// Ranks in an order in which the descendants of each come right before it.
    fn postorder(&self) -> Vec<usize> {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.order.len()];
        let mut waiting = Vec::new();
        for (rank, coupled) in self.coupled.iter().enumerate() {
            match coupled.first() {
                Some(&parent) => children[parent].push(rank),
                None => waiting.push(rank),
            }
        }
        // From the roots down and backwards.
        let mut order = Vec::with_capacity(self.order.len());
        while let Some(rank) = waiting.pop() {
            order.push(rank);
            waiting.append(&mut children[rank]);
        }
        order.reverse();
        order
    }

    /// Neighbouring ranks joined where that leaves few zeros in a panel, and no loops over sizes that are not constant.
    fn groups(&self, starts: &[usize]) -> Vec<Group> {
        let unknowns = |ranks: &[usize]| -> usize { ranks.iter().map(|&rank| starts[rank + 1] - starts[rank]).sum() };
        let mut groups: Vec<Group> = Vec::new();
        for (rank, coupled) in self.coupled.iter().enumerate() {
            let mut group = Group {
                first: rank,
                end: rank + 1,
                coupled: coupled.clone(),
            };
            while let Some(before) = groups.last() {
                if self.coupled[before.end - 1].first() != Some(&group.first) {
                    break;
                }
                let (k, own) = (
                    starts[before.end] - starts[before.first],
                    starts[group.end] - starts[group.first],
                );
                let (u, own_u) = (unknowns(&before.coupled), unknowns(&group.coupled));
                let zeros = k * (own + own_u - u);
                let stored = k * (k + u) + own * (own + own_u);
                let few = (k + own <= WIDE && 4 * zeros <= stored) || (k + own <= 4 * WIDE && 10 * zeros <= stored);
                let remains_unrolled = is_unrolled(k + own, own_u) || !is_unrolled(k, u) || !is_unrolled(own, own_u);
                if (zeros > 0 && !few) || !remains_unrolled {
                    break;
                }
                group.first = before.first;
                groups.pop();
            }
            groups.push(group);
        }
        groups
    }
}

/// Later ranks that each rank of an order is coupled with when its turn comes.
fn coupled(graph: &Graph, order: &[usize]) -> Vec<Vec<usize>> {
    let mut rank_of = vec![0; order.len()];
    for (rank, &node) in order.iter().enumerate() {
        rank_of[node] = rank;
    }
    let mut coupled: Vec<Vec<usize>> = Vec::with_capacity(order.len());
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
    for (rank, &node) in order.iter().enumerate() {
        let own = graph.neighbours[node].iter().map(|&other| rank_of[other]);
        let inherited = children[rank]
            .iter()
            .flat_map(|&child: &usize| coupled[child].iter().copied());
        let mut later: Vec<usize> = own.chain(inherited).filter(|&other| other > rank).collect();
        later.sort_unstable();
        later.dedup();
        if let Some(&parent) = later.first() {
            children[parent].push(rank);
        }
        coupled.push(later);
    }
    coupled
}
