mod ball;
mod breaks;
mod crossings;
mod instants;
mod records;
mod toy;
