//! hostile: to come.
