//! config: to come.
