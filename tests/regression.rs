//! What once went wrong, by the number of its issue, so that it does not go wrong again.
//!
//! A test comes here when its reason is a report and not a feature; its name says what the user saw.
