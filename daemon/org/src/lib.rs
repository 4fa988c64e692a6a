//! Asks the code search of the user's organisation: an existing Zoekt web server.
//!
//! Zoekt's JSON interface (`zoekt-webserver -rpc`) takes a query as text and answers with lines. This crate
//! writes the query ([`query`], [`pattern`]), sends it ([`endpoint`]), reads the answer ([`wire`]), and
//! decides which of the server's repositories a local folder is a clone of ([`identity`]). It knows no tool,
//! no project and no index of hob's own: `hob-tools` merges both answers.
//!
//! **A query asks for a superset.** Zoekt matches by Go's RE2 on whole files, hob by Rust's regexes on lines,
//! and they differ in the meaning of `\w`, `\b`, `\s` and a negated class. So a pattern is translated to one
//! that matches at least every line that hob's would, and the caller checks each line with hob's own engine.
//! A [`pattern::Translation`] says whether the server's own counts are exact without that check.
//!
//! This crate follows no redirect, and stores or writes no token: see `hob_model::http`.

pub mod endpoint;
pub mod identity;
pub mod pattern;
pub mod query;
pub mod wire;

pub use endpoint::{OrgEndpoint, OrgError};
