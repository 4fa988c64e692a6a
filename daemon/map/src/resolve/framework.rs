//! Resolves names that the code hands to frameworks: handlers, and parameters that a framework fills.
//!
//! A handler's name means what it means anywhere; only the edge is less sure, because the framework makes the call and
//! no code of the project. A fixture's name is looked up by pytest's rules: in the class, in the file with its imports,
//! then in the `conftest.py` files of the folder and of the folders above, nearest first. A fixture of a plug-in is not
//! found, and is not guessed.

use super::members::MemberLookup;
use super::{NameLookup, Resolution, Resolver, Site, Thing};
use crate::facts::{DefKind, Receiver, Ref, RefKind};
use crate::langs::support::project::folder_of;
use crate::node::{Confidence, DefRef};

/// Limits the confidence of an edge by its kind of use: a framework's are never surer than [`Confidence::Framework`].
pub(super) fn confidence_of(kind: RefKind, sure: Confidence) -> Confidence {
    match kind {
        RefKind::Framework | RefKind::Injected => sure.max(Confidence::Framework),
        _ => sure,
    }
}

impl<'m> Resolver<'m> {
    /// Resolves a parameter that a framework fills.
    pub(super) fn injected_ref(&self, site: Site<'m>, r: &Ref, name: &str) -> Resolution {
        if let Receiver::Path(path) = r.receiver() {
            return self.named_by_convention(site, r, site.entry.facts.name(path));
        }
        let found = self.fixture_named(site, name);
        found.map_or(Resolution::Dropped, |def| Resolution::To(Thing::Def(def), Confidence::Framework))
    }

    /// Returns the fixture that fills a parameter of a test or of another fixture.
    pub(super) fn fixture_named(&self, site: Site<'m>, name: &str) -> Option<DefRef> {
        self.fixture_of_class(site, name)
            .or_else(|| self.fixture_in_file(site, name))
            .or_else(|| self.fixture_of_folders(site, name))
            .filter(|def| Some(*def) != site.owner.map(|def| DefRef { file: site.file, def }))
    }

    /// Resolves a method that the framework finds by the names of its class and itself: an action of a controller. If
    /// there is none, the reference is dropped.
    fn named_by_convention(&self, site: Site<'m>, r: &Ref, class: &str) -> Resolution {
        match self.path_ref(site, r, class) {
            // The class was found by its qualified name, which is how the framework finds it.
            Resolution::To(Thing::Def(def), _) if self.is_function(def) => {
                Resolution::To(Thing::Def(def), Confidence::Framework)
            }
            _ => Resolution::Dropped,
        }
    }

    fn fixture_of_class(&self, site: Site<'m>, name: &str) -> Option<DefRef> {
        match self.find_wanted(self.enclosing_type(site)?, name, site.want) {
            MemberLookup::Found(def) => Some(def).filter(|def| self.is_function(*def)),
            MemberLookup::Missing { .. } => None,
        }
    }

    fn fixture_in_file(&self, site: Site<'m>, name: &str) -> Option<DefRef> {
        match self.resolve_bare(site, name) {
            NameLookup::Thing(Thing::Def(def), _) => Some(def).filter(|def| self.is_function(*def)),
            _ => None,
        }
    }

    fn fixture_of_folders(&self, site: Site<'m>, name: &str) -> Option<DefRef> {
        let files = site.entry.lang().semantics().fixture_files;
        let own = folder_of(site.entry.path.as_str());
        let folders =
            std::iter::successors(Some(own), |folder| (!folder.is_empty()).then(|| folder_of(folder)));
        let mut places = folders.flat_map(|folder| files.iter().map(move |file| (folder, *file)));
        places.find_map(|(folder, file)| self.fixture_of_file(folder, file, name))
    }

    fn fixture_of_file(&self, folder: &str, file: &str, name: &str) -> Option<DefRef> {
        let path = if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") };
        let file = self.index.paths().file(&path)?;
        let entry = self.index.entry(file)?;
        let site = Site { file, entry, owner: None, want: super::WantedKind::Callee };
        self.fixture_in_file(site, name)
    }

    fn is_function(&self, def: DefRef) -> bool {
        self.def(def).is_some_and(|(_, def)| matches!(def.kind, DefKind::Function | DefKind::Method))
    }
}
