//! top: to come.
