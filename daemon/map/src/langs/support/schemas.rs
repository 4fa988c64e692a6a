//! Finds the schema that a generated module was made from: `acme/user.proto` behind `acme.user_pb2`.
//!
//! Generated modules are seldom in the repository, and those that are say less than the schema: Python's modules fill
//! themselves when they are loaded. So an import of such a module means the schema, if the workspace has it.

use hob_base::FileId;

use super::project::folder_of;
use crate::langs::rules::ImportProject;

/// The name endings of modules that are made from a Protocol Buffers file, the longer before those that they end in. Each
/// generator has its own: those of Python come first.
pub(crate) const MODULE_ENDINGS: &[&str] =
    &["_pb2_grpc", "_pb2", "_grpc_web_pb", "_grpc_pb", "_connectquery", "_connectweb", "_connect", "_pb"];
/// The endings of [`MODULE_ENDINGS`] that Python's modules have.
pub(crate) const PYTHON_ENDINGS: &[&str] = MODULE_ENDINGS.split_at(2).0;
/// The endings of [`MODULE_ENDINGS`] that ECMAScript's modules have.
pub(crate) const ECMA_ENDINGS: &[&str] = MODULE_ENDINGS.split_at(2).1;

/// Returns true if a module of this name may be generated from a schema.
pub(crate) fn is_generated_module(name: &str) -> bool {
    MODULE_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// A generated module as an import names it.
pub(crate) struct GeneratedModule<'a> {
    /// Its path, `/`-separated, without an extension: `acme/user_pb2`.
    pub(crate) path: &'a str,
    /// The endings that its language's generators give to modules.
    pub(crate) endings: &'static [&'static str],
    /// True if the import says that the module belongs to the workspace. Otherwise it may be a package from outside.
    pub(crate) is_own: bool,
}

impl GeneratedModule<'_> {
    /// Returns the schema. Of several with the name, the one that shares most folders with the module counts, counted
    /// from the file upwards, as generators repeat the folders of the schema; `None` if two share as many.
    pub(crate) fn schema(&self, project: &dyn ImportProject) -> Option<FileId> {
        let name = self.path.rsplit('/').next().unwrap_or(self.path);
        let stem = self.endings.iter().find_map(|ending| name.strip_suffix(ending))?;
        let files = project.files_named(&format!("{stem}.proto"));
        let folders = folder_of(self.path);
        let mut best: Option<(usize, FileId)> = None;
        let mut is_tie = false;
        for &file in files {
            let shared = shared_from_the_end(folders, folder_of(project.path(file)));
            if shared == 0 && !self.is_own && !folders.is_empty() {
                continue;
            }
            is_tie = best.is_some_and(|(most, _)| most == shared)
                || (is_tie && best.is_some_and(|(most, _)| most > shared));
            if best.is_none_or(|(most, _)| shared > most) {
                best = Some((shared, file));
            }
        }
        best.filter(|_| !is_tie).map(|(_, file)| file)
    }
}

/// Returns the number of folders that two paths share, counted from their ends.
fn shared_from_the_end(a: &str, b: &str) -> usize {
    let parts = |path| str::rsplit(path, '/').filter(|part| !part.is_empty());
    parts(a).zip(parts(b)).take_while(|(x, y)| x == y).count()
}
