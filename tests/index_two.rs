//! Systems of one's own with algebraic equations of index 2: they restrict the states, and y keeps the motion on them.

#[path = "index_two/closed_form.rs"]
mod closed_form;
#[path = "index_two/messages.rs"]
mod messages;
#[path = "index_two/models.rs"]
mod models;
#[path = "index_two/pendulum.rs"]
mod pendulum;
#[path = "index_two/string.rs"]
mod string;
