//! Tells whether the user has enabled edits in the settings, as far as a client needs it in order to choose the tools
//! that it offers.
//!
//! The daemon decides what a call may do, and reads the same file with all its rules. A client offers the tools if at
//! least one project may be edited.

use std::path::Path;

use toml::de::{DeTable, DeValue};

/// Returns true if the settings in `file` enable edits for every project, or for any. A file that cannot be read
/// enables nothing.
#[must_use]
pub fn enabled_in(file: &Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| text_enables_edits(&text))
}

fn text_enables_edits(text: &str) -> bool {
    let Ok(table) = DeTable::parse(text) else { return false };
    let here = |table: &DeTable<'_>| {
        table.get("edits").is_some_and(|said| matches!(said.get_ref(), DeValue::Boolean(true)))
    };
    let projects = table.get_ref().get("workspaces").and_then(|all| all.get_ref().as_table());
    here(table.get_ref())
        || projects.is_some_and(|all| all.values().filter_map(|one| one.get_ref().as_table()).any(here))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_enabled_for_all_projects_or_for_one() {
        assert!(text_enables_edits("edits = true"));
        assert!(text_enables_edits("[workspaces.\"/home/me/a\"]\nedits = true"));
        assert!(!text_enables_edits("edits = false\n[servers.ty]\nenabled = true"));
        assert!(!text_enables_edits("edits = \"yes\""));
        assert!(!enabled_in(Path::new("/there/is/no/such/file")));
    }
}
