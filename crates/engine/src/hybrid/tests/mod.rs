mod ball;
mod crossings;
mod instants;
mod records;
mod toy;
