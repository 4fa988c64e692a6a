//! Tests against the return of old faults, by the number of their issue.
//!
//! A test comes here when its reason is a report and not a feature; its name says what the user saw.
