//! A file's definitions with what its facts say of each, for callers that ask about a whole file at once.

use hob_base::FileId;

use super::{DefRef, Map};
use crate::facts::Def;

impl Map {
    /// A file's definitions in source order; none for a file that is not mapped.
    pub fn outline(&self, file: FileId) -> impl Iterator<Item = (DefRef, &Def)> {
        let defs = self.index.entry(file).into_iter().flat_map(|entry| entry.facts.defs_indexed());
        defs.map(move |(def, facts)| (DefRef { file, def }, facts))
    }
}
