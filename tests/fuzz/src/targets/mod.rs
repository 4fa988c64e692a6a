//! The targets, by the part of hob that they read for.

mod answers;
mod edits;
pub(crate) mod extraction;
mod kept;
pub(crate) mod project;
mod search;
mod symbols;
mod wire;

/// A name, and the function that goes by it.
pub(crate) type NamedCheck = (&'static str, fn(&[u8]));

/// The targets other than the extraction of a language: (name, function).
pub(crate) const NAMED: &[NamedCheck] = &[
    ("map", extraction::check_map),
    ("regex", search::check_regex),
    ("text-index", search::check_text_index),
    ("diff", edits::check_diff),
    ("splices", edits::check_splices),
    ("replace", edits::check_replacement),
    ("edit-symbol", edits::check_symbol_edit),
    ("edit-pattern", edits::check_pattern_edit),
    ("frame", wire::check_frame),
    ("lsp", wire::check_lsp),
    ("arguments", wire::check_arguments),
    ("node-id", wire::check_node_id),
    ("facts", kept::check_facts),
    ("image", kept::check_image),
    ("ranking", kept::check_ranking),
    ("bundle", kept::check_bundle),
    ("edit-files", kept::check_edit_files),
    ("scip", symbols::check_scip),
    ("scip-kept", symbols::check_kept_index),
    ("rules", project::check_rules),
    ("manifest", project::check_manifest),
    ("git", project::check_repository),
    ("render", answers::check_rendering),
    ("budget", answers::check_budget),
];
