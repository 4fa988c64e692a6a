//! doctor: to come.
