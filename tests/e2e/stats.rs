//! stats: to come.
