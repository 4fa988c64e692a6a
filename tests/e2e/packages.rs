//! packages: to come.
