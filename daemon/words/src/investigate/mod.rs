//! From words to the places in a project that they are about.
//!
//! A question is read part by part (`reading`). Each kind of evidence makes a ranking: `scoring` makes one of files of them and says how
//! sure it is of each, by what they found and by the part that a file plays (`file_role`); `fusion` makes one of definitions. Words find
//! seeds; the graph says what else belongs to them (`rank`); what was found is kept for a day, so that a client can come back for the source
//! (`bundle`). How it is shown, and what it may cost, is the tools' part.

pub mod bundle;
pub mod file_role;
pub mod fusion;
pub mod rank;
pub mod reading;
pub mod scoring;
