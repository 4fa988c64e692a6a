//! Tests the map as its users see it: the edges of small projects, the answers, and that changes leave no trace.

mod answers;
mod chain;
mod changes;
mod confirmed;
mod earlier_step;
mod family;
mod flow;
mod flow_chains;
mod frameworks;
mod image;
mod impact;
mod inbound;
mod keys;
mod ladder;
mod languages;
mod ranking;
mod route;
mod saved_edges;
mod surroundings;
mod types;
mod values;
