//! Resolves names that reach beyond their file without an import, a package or a header: PHP's functions and classes of
//! no namespace.
//!
//! Nothing in the file says where they are defined, so a match is worth no more than `name`, and only if there is one
//! place that it can be.

use hob_base::FileId;

use super::choice::top_defs;
use super::{NameLookup, Resolution, Resolver, Site, Thing, WantedKind, builtins};
use crate::facts::{Def, DefFlags, DefKind, Receiver, Ref, RefKind, StrId};
use crate::index::{FileEntry, NameId};
use crate::langs::lang::Lang;
use crate::langs::semantics::VagueNames;
use crate::node::{Confidence, DefRef};

/// The conditions under which a bare name means the one definition that files without a namespace have of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct GlobalKey {
    name: NameId,
    lang: Lang,
    /// True if types count.
    types: bool,
    want: WantedKind,
}

impl<'m> Resolver<'m> {
    /// Resolves a bare name that nothing in sight binds.
    pub(super) fn global_binding(&self, site: Site<'m>, name: &str) -> Option<NameLookup> {
        let semantics = site.entry.lang().semantics();
        if semantics.constants_by_capital {
            let function = || {
                let def = self.required_function(site, name)?;
                Some(NameLookup::Thing(Thing::Def(def), Confidence::Import))
            };
            return self.constant_path(site, name).or_else(function);
        }
        semantics.root_namespace.and_then(|_| self.without_namespace(site, name, false))
    }

    /// Resolves a complete path that starts at no namespace.
    pub(super) fn at_root(&self, site: Site<'m>, path: &str) -> Option<NameLookup> {
        let semantics = site.entry.lang().semantics();
        if semantics.constants_by_capital {
            return self.constant_path(site, path);
        }
        let name = path.strip_prefix(semantics.root_namespace?)?.strip_prefix('.')?;
        if name.contains('.') { None } else { self.without_namespace(site, name, true) }
    }

    /// Resolves a reference of PHP's form `\name`, which names no namespace.
    pub(super) fn root_ref(&self, site: Site<'m>, r: &Ref, name: &str) -> Resolution {
        if builtins::is_global(site.entry.lang(), name) {
            return Resolution::Dropped;
        }
        match self.without_namespace(site, name, true) {
            Some(NameLookup::Thing(thing, sure)) => Resolution::To(thing, sure),
            _ => self.by_name(site, &without_root(site.entry, r)),
        }
    }

    /// Returns the member of the table that a file returns.
    pub(super) fn in_returned_table(
        &self,
        file: FileId,
        entry: &FileEntry,
        name: &str,
    ) -> Option<NameLookup> {
        if !entry.lang().semantics().returned_tables || name == "default" {
            return None;
        }
        let (def, _) = entry.facts.defs_indexed().find(|(_, def)| def.flags.has(DefFlags::DEFAULT))?;
        let member = self.own_member(DefRef { file, def }, name)?;
        Some(NameLookup::Thing(Thing::Def(member), Confidence::Import))
    }

    fn without_namespace(&self, site: Site<'m>, name: &str, rooted: bool) -> Option<NameLookup> {
        if builtins::is_global(site.entry.lang(), name) {
            return None;
        }
        let types = rooted || site.entry.facts.package.is_none();
        let id = self.index.name_id(name)?;
        let key = GlobalKey { name: id, lang: site.entry.lang(), types, want: site.want };
        let known = self.globals.borrow().get(&key).copied();
        let found = known.unwrap_or_else(|| self.only_global(key, name));
        self.globals.borrow_mut().insert(key, found);
        found.map(|def| NameLookup::Thing(Thing::Def(def), Confidence::Name))
    }

    /// Finds the one definition of a name in files without a namespace; `None` if there are several.
    fn only_global(&self, key: GlobalKey, name: &str) -> Option<DefRef> {
        let fits = |def: &Def| {
            (key.types || !def.kind.is_type()) && !is_test_block(def) && key.want.accepts_free(def.kind)
        };
        let files = self.index.files_defining_id(key.name).iter().map(|&file| FileId(file));
        only_place(files.filter_map(|file| {
            let entry = self.entry(file)?;
            let is_global = entry.lang() == key.lang && entry.facts.package.is_none();
            let (def, _) = top_defs(entry, name).find(|(_, def)| is_global && fits(def))?;
            Some(DefRef { file, def })
        }))
    }
}

impl WantedKind {
    fn accepts_free(self, kind: DefKind) -> bool {
        match self {
            Self::Callee => kind.is_callable() || kind.is_type(),
            Self::Type | Self::Scope => self.prefers_kind(kind),
            Self::Any => true,
        }
    }
}

/// Returns true if a definition is a test that is written as a call, which nothing can call.
pub(super) fn is_test_block(def: &Def) -> bool {
    def.flags.has(DefFlags::TEST) && def.kind == DefKind::Function && !def.flags.has(DefFlags::EXPORTED)
}

/// Returns true if tests of a language are calls with a description, which the extractor records as functions.
pub(super) fn has_test_blocks(lang: Lang) -> bool {
    lang.semantics().test_blocks
}

/// Returns true if a unique definition of a name says little, because so much else has that name: in languages without
/// types, a member of one word (`title`) on a value of unknown type; in the shell, a command of one word, and a
/// variable, which may come from the environment.
pub(super) fn is_vague(lang: Lang, r: &Ref, name: &str) -> bool {
    match lang.semantics().vague_names {
        VagueNames::Commands => r.kind() == RefKind::Use || !(is_compound(name) || name.contains("::")),
        VagueNames::Members => {
            matches!(r.receiver(), Receiver::Unknown | Receiver::Path(_)) && !is_compound(name)
        }
        VagueNames::None => false,
    }
}

/// Returns true if a name consists of several words, or ends with `?` or `!`.
fn is_compound(name: &str) -> bool {
    let inner = name.trim_matches('_');
    inner.contains('_') || inner.ends_with(['?', '!']) || inner.chars().skip(1).any(char::is_uppercase)
}

/// Returns true if `path` stands for the `\` before the name in PHP's `\name`.
pub(super) fn is_root(entry: &FileEntry, path: StrId) -> bool {
    entry.lang().semantics().root_namespace == Some(entry.facts.name(path))
}

/// Returns the reference without its receiver, if that is only PHP's `\`.
pub(super) fn without_root(entry: &FileEntry, r: &Ref) -> Ref {
    match r.receiver() {
        Receiver::Path(path) if is_root(entry, path) => r.with_receiver(Receiver::None),
        _ => *r,
    }
}

/// Returns true if a plain name at the site can mean a PHP definition that is no member: a definition of the same
/// namespace, or of none unless it is a class.
pub(super) fn is_near(site: Site<'_>, entry: &FileEntry, def: &Def) -> bool {
    let package = |entry: &FileEntry| entry.facts.package.map(|id| entry.facts.name(id).to_owned());
    let theirs = package(entry);
    (theirs.is_none() && !def.kind.is_type()) || theirs == package(site.entry)
}

fn only_place(mut places: impl Iterator<Item = DefRef>) -> Option<DefRef> {
    let first = places.next()?;
    places.next().is_none().then_some(first)
}
