//! Asks the code search of the user's organisation: a Zoekt web server that exists already.
//!
//! Zoekt's JSON interface (`zoekt-webserver -rpc`) takes a query as text and answers with lines. This crate writes the query
//! ([`query`], [`pattern`]), sends it ([`endpoint`]), reads the answer ([`wire`]), and tells which of the server's repositories a
//! folder here is a clone of ([`identity`]). It knows no tool, no project and no index of hob's own: who merges both answers is
//! `hob-tools`.
//!
//! **A query asks for a superset.** Zoekt matches by Go's RE2 on whole files, hob by Rust's regexes on lines, and they differ in
//! what `\w`, `\b`, `\s` and a negated class mean. So a pattern is translated to one that matches at least every line that hob's
//! would, and the asker checks each line with the engine that it uses here. A [`pattern::Translation`] says whether the server's own
//! counts may be believed without that check.
//!
//! Nothing here follows a redirect, keeps a token or writes one anywhere: see `hob_model::http`.

pub mod endpoint;
pub mod identity;
pub mod pattern;
pub mod query;
pub mod wire;

pub use endpoint::{OrgEndpoint, OrgError};
