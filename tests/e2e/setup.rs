//! setup: to come.
