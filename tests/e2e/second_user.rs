//! second_user: to come.
