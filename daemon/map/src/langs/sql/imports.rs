//! The import rules of SQL, which imports nothing: all files of a project are one name space.

use hob_base::FileId;

use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};

/// The import rules of SQL.
pub(super) struct OneProject;

impl ImportRules for OneProject {
    fn resolve(&self, _project: &dyn ImportProject, _from: FileId, _module: &str) -> ModuleTarget {
        ModuleTarget::Unknown
    }

    fn reads_facts(&self) -> bool {
        false
    }

    fn module_of(&self, _project: &dyn ImportProject, _file: FileId) -> Option<String> {
        Some("project".to_owned())
    }
}
