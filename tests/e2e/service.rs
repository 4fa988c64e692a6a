//! service: to come.
