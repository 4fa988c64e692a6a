//! Finds the definitions that a name can mean if no scope and no import decides it.

use hob_base::FileId;

use super::choice::is_table;
use super::modules::{has_linkage, is_visible};
use super::overloads::Overloads;
use super::{Resolution, Resolver, Site, Thing, WantedKind, global, language_group};
use crate::facts::{Def, DefFlags, DefIdx, DefKind, Receiver, Ref, RefKind};
use crate::index::{FileEntry, Kinds, Share};
use crate::langs::semantics::Reach;
use crate::node::{Confidence, DefRef};

/// Most files defining a name whose definitions are all candidates; beyond, only near ones are.
const MANY: usize = 64;
/// Most candidates that an answer shows for a reference.
pub(crate) const SHOWN: usize = 5;

/// The result of the search for the only definition of a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum OnlyDefinition {
    /// No definition of the name fits.
    None,
    /// Exactly this definition fits.
    One(DefRef),
    /// Several definitions of the name fit.
    Several,
}

/// The definitions that an unresolved reference may mean.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    /// The definitions, likeliest first: same file, same folder, longest common path.
    pub(crate) list: Vec<DefRef>,
}

/// Definitions that are one to their callers: the branches of a conditional definition in one file, a declaration and
/// its body.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) all: Vec<DefRef>,
}

impl Group {
    /// Returns the definition that stands for the group: one with a body, then the first by path and place.
    pub(super) fn representative(&self, resolver: &Resolver<'_>) -> DefRef {
        let key = |def: &&DefRef| {
            let found = resolver.def(**def);
            let declared = found.is_some_and(|(_, def)| def.flags.has(DefFlags::DECLARATION));
            (declared, found.map(|(entry, _)| entry.path.as_str()), def.def)
        };
        self.all.iter().min_by_key(key).copied().unwrap_or(self.all[0])
    }

    /// Splits definitions of one name into groups.
    pub(super) fn split(resolver: &Resolver<'_>, defs: Vec<DefRef>) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        let mut loose = Vec::new();
        for def in defs {
            let declares = resolver.def(def).is_some_and(|(_, d)| d.flags.has(DefFlags::DECLARATION));
            if declares && resolver.may_be_announced(def) {
                loose.push(def);
                continue;
            }
            match groups.iter_mut().find(|group| resolver.is_same_place(group.all[0], def)) {
                Some(group) => group.all.push(def),
                None => groups.push(Self { all: vec![def] }),
            }
        }
        for def in loose {
            let mut homes: Vec<&mut Self> =
                groups.iter_mut().filter(|group| resolver.may_announce(def, group.all[0])).collect();
            let announces = homes.len();
            if announces > 1 {
                homes.retain(|group| resolver.has_same_parameters(def, group.all[0]));
            }
            match &mut homes[..] {
                [] if announces == 0 => groups.push(Self { all: vec![def] }),
                [home] => home.all.push(def),
                // It may announce each of several groups, so it distinguishes nothing.
                _ => {}
            }
        }
        groups
    }
}

impl<'m> Resolver<'m> {
    /// Resolves a reference by its name alone: the `name` rung of the ladder.
    pub(super) fn by_name(&self, site: Site<'m>, r: &Ref) -> Resolution {
        let name = site.entry.facts.name(r.name);
        let files = self.index.files_defining(name);
        if files.is_empty() {
            return Resolution::Dropped;
        }
        if self.is_only_near(name) {
            return Resolution::Unresolved;
        }
        let member = r.receiver() != Receiver::None;
        let only = match self.index.name_id(name) {
            // The members depend only on the name, and on the folder if that decides what is in reach.
            Some(id) if member && site.entry.lang().semantics().reach != Reach::Folder => self
                .get_or_compute(&self.members, (id, site.want, language_group(site)), || {
                    self.only_possible(site, r)
                }),
            Some(id) if !member && files.binary_search(&site.file.0).is_err() => self
                .get_or_compute(&self.only_outside_definers, (id, site.want, language_group(site)), || {
                    (!self.is_reach_local(site, files)).then(|| self.only_possible(site, r))
                })
                .unwrap_or_else(|| self.only_possible(site, r)),
            _ => self.only_possible(site, r),
        };
        let vague = global::is_vague(language_group(site), r, name);
        match only {
            OnlyDefinition::One(def) if vague && !(def.file == site.file && is_path(r)) => {
                Resolution::Unresolved
            }
            OnlyDefinition::None => Resolution::Dropped,
            OnlyDefinition::One(def) => Resolution::To(Thing::Def(def), Confidence::Name),
            OnlyDefinition::Several => Resolution::Unresolved,
        }
    }

    /// Returns true if an unresolved reference would resolve by its name alone if only one definition had that name.
    pub(crate) fn is_told_by_name(&self, file: FileId, r: &Ref) -> bool {
        let Some(entry) = self.entry(file) else { return false };
        let site = Site { file, entry, owner: r.owner, want: WantedKind::for_ref_kind(r.kind()) };
        let name = entry.facts.name(r.name);
        let is_unknown = match r.receiver() {
            Receiver::Unknown => true,
            Receiver::Typed(ty) => entry.facts.name(ty).starts_with('='),
            _ => false,
        };
        let is_vague = || self.is_common(site, r) || global::is_vague(language_group(site), r, name);
        is_unknown && !self.is_only_near(name) && !is_vague()
    }

    /// Returns true if the place of a file may decide which definitions in these files it reaches.
    fn is_reach_local(&self, site: Site<'m>, files: &[u32]) -> bool {
        let entries = files.iter().filter_map(|&file| self.entry(FileId(file)));
        let mut of_group = entries.filter(|entry| entry.lang().language_group() == language_group(site));
        of_group.any(|entry| matches!(entry.lang().semantics().reach, Reach::Folder | Reach::Namespace))
    }

    fn only_possible(&self, site: Site<'m>, r: &Ref) -> OnlyDefinition {
        if site.entry.lang().semantics().declares_in_headers {
            return match &Group::split(self, self.possible_defs(site, r).collect())[..] {
                [] => OnlyDefinition::None,
                [group] => OnlyDefinition::One(group.representative(self)),
                _ => OnlyDefinition::Several,
            };
        }
        // Outside C the search can stop at the second definition.
        let mut possible = self.possible_defs(site, r);
        let Some(first) = possible.next() else { return OnlyDefinition::None };
        let mut all = vec![first];
        for other in possible {
            if !self.is_same_place(first, other) {
                return OnlyDefinition::Several;
            }
            all.push(other);
        }
        OnlyDefinition::One(Group { all }.representative(self))
    }

    /// Returns the likeliest candidates of an unresolved reference, at most [`SHOWN`].
    pub(crate) fn candidates(&self, file: FileId, r: &Ref) -> Candidates {
        let mut found = self.all_candidates(file, r);
        found.list.truncate(SHOWN);
        found
    }

    /// Returns every candidate of an unresolved reference, likeliest first.
    pub(crate) fn all_candidates(&self, file: FileId, r: &Ref) -> Candidates {
        let Some(entry) = self.entry(file) else { return Candidates::default() };
        let r = &global::without_root(entry, r);
        let site = Site { file, entry, owner: r.owner, want: WantedKind::for_ref_kind(r.kind()) };
        let mut list = match self.resolve_any(file, r) {
            Resolution::To(Thing::Def(def), _) => match self.overloads_for(file, r, def) {
                Overloads::Open(all) => all,
                Overloads::Chosen(_) | Overloads::Single => self.ambiguous_defs(def),
            },
            _ => Vec::new(),
        };
        if list.is_empty() {
            list.extend(self.possible_defs(site, r).map(|def| self.body_of(def)));
        }
        list.sort_unstable();
        list.dedup();
        list.sort_by_cached_key(|def| self.distance_key(entry, *def));
        Candidates { list }
    }

    /// Returns true if so many files define a name that only those in the same folder are candidates.
    pub(crate) fn is_only_near(&self, name: &str) -> bool {
        let files = self.index.files_defining(name);
        // Headings do not count: a manual with a page for each function does not make its name common.
        let in_code = |file: &&u32| self.entry(FileId(**file)).is_some_and(|entry| !entry.lang().is_prose());
        files.len() > MANY && files.iter().filter(in_code).take(MANY + 1).count() > MANY
    }

    /// Yields the definitions of a reference's name that it can mean.
    fn possible_defs(&self, site: Site<'m>, r: &Ref) -> impl Iterator<Item = DefRef> {
        let name = site.entry.facts.name(r.name);
        let files = self.index.files_defining(name);
        let only_near = self.is_only_near(name);
        let (kind, member) = (r.kind(), r.receiver() != Receiver::None);
        files
            .iter()
            .map(|&file| FileId(file))
            .filter_map(move |file| {
                let entry = self.entry(file)?;
                let near = !only_near || entry.path.dir() == site.entry.path.dir();
                (near && entry.lang().language_group() == language_group(site)).then_some((file, entry))
            })
            .flat_map(move |(file, entry)| {
                entry
                    .defs_named(name)
                    .filter(move |(_, def)| {
                        fits_reference(entry, def, kind, member) && is_reachable(site, file, entry, def)
                    })
                    .map(move |(def, _)| DefRef { file, def })
            })
    }

    /// Returns the definitions that a bare name can mean through headers. Headers declare a popular type by the
    /// hundred; if something is defined, declarations count only as long as they are few.
    pub(super) fn visible_bare(&self, want: WantedKind, name: &str) -> Vec<DefRef> {
        let (mut bodies, announced) = self.visible_where(want, name);
        // A name with that many definitions identifies none of them.
        if bodies.len() > MANY || (bodies.is_empty() && announced.len() > MANY) {
            return Vec::new();
        }
        if announced.len() <= MANY {
            bodies.extend(announced);
        }
        // `#define deflate z_deflate` renames a function in builds that ask for it; a call means the function.
        let is_renamed = |def: &DefRef| self.def(*def).is_some_and(|(entry, def)| is_rename(entry, def));
        if bodies.iter().any(|def| {
            self.def(*def).is_some_and(|(_, def)| def.kind.is_callable() && def.kind != DefKind::Macro)
        }) {
            bodies.retain(|def| !is_renamed(def));
        }
        bodies
    }

    /// Returns the definitions with a body and the declarations of a name that headers can make visible. Each list ends
    /// one above [`MANY`], which suffices to show that they are many.
    fn visible_where(&self, want: WantedKind, name: &str) -> (Vec<DefRef>, Vec<DefRef>) {
        let (mut bodies, mut announced) = (Vec::new(), Vec::new());
        let kinds = self.index.name_id(name).map_or_else(Kinds::default, |name| self.index.kinds_of(name));
        let wanted = Kinds::matching(|kind| is_free_kind(kind) && want.accepts_kind(kind));
        if kinds.share(wanted) == Share::None {
            // Most names that thousands of files define are names of fields.
            return (bodies, announced);
        }
        let linked =
            kinds.share(Kinds::matching(|kind| has_linkage(kind) && want.accepts_kind(kind))) != Share::None;
        for file in self.index.files_defining(name).iter().map(|&file| FileId(file)) {
            let declares = |entry: &&FileEntry| entry.lang().semantics().declares_in_headers;
            let Some(entry) = self.entry(file).filter(declares).filter(|entry| linked || entry.is_header())
            else {
                continue;
            };
            let fits =
                |def: &Def| is_free(entry, def) && is_visible(entry, def) && want.accepts_kind(def.kind);
            for (idx, def) in entry.defs_named(name).filter(|(_, def)| fits(def)) {
                let announces = def.flags.has(DefFlags::DECLARATION);
                let list = if announces { &mut announced } else { &mut bodies };
                if list.len() <= MANY {
                    list.push(DefRef { file, def: idx });
                }
            }
            if bodies.len() > MANY {
                break;
            }
        }
        (bodies, announced)
    }

    /// Returns a key that ranks a candidate by its distance from the file; the nearest is smallest.
    fn distance_key(&self, from: &FileEntry, def: DefRef) -> (u8, usize, String, DefIdx) {
        let path = self.entry(def.file).map_or("", |entry| entry.path.as_str());
        let rank = match () {
            () if path == from.path.as_str() => 0,
            () if folder_of(path) == from.path.dir() => 1,
            () => 2,
        };
        let shared =
            folder_of(path).split('/').zip(from.path.dir().split('/')).take_while(|(a, b)| a == b).count();
        (rank, usize::MAX - shared, path.to_owned(), def.def)
    }

    fn may_be_announced(&self, def: DefRef) -> bool {
        self.entry(def.file).is_some_and(|entry| entry.lang().semantics().declares_in_headers)
    }

    fn is_same_place(&self, a: DefRef, b: DefRef) -> bool {
        a.file == b.file && self.qualified_name(a) == self.qualified_name(b)
    }

    fn may_announce(&self, declaration: DefRef, body: DefRef) -> bool {
        let kind = |def| self.def(def).map(|(_, def)| def.kind.is_type());
        kind(declaration) == kind(body)
            && (self.qualified_name(declaration) == self.qualified_name(body)
                || self.body_of(declaration) == body)
    }

    fn qualified_name(&self, def: DefRef) -> Option<&'m str> {
        self.def(def).map(|(entry, def)| entry.facts.name(def.qualified))
    }
}

/// Returns true if a macro only renames something.
fn is_rename(entry: &FileEntry, def: &Def) -> bool {
    let words = entry.facts.signature(def).trim_start_matches('#').split_whitespace();
    let [_, name, value] = words.collect::<Vec<_>>()[..] else { return false };
    let is_word = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    def.kind == DefKind::Macro && is_word(name) && is_word(value)
}

impl WantedKind {
    /// Returns true if a name in this position can mean a definition of this kind.
    fn accepts_kind(self, kind: DefKind) -> bool {
        match self {
            Self::Callee => kind != DefKind::Module,
            Self::Type => self.prefers_kind(kind) || kind == DefKind::Macro,
            Self::Scope => !kind.is_callable(),
            Self::Any => true,
        }
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// Returns true if a reference of this kind can name the definition: as a member, or on its own.
fn fits_reference(entry: &FileEntry, def: &Def, kind: RefKind, member: bool) -> bool {
    let by_kind = match kind {
        RefKind::Call | RefKind::Framework | RefKind::Injected => {
            def.kind.is_callable() || def.kind.is_type()
        }
        RefKind::Extends | RefKind::Implements | RefKind::Type => {
            def.kind.is_type() || def.kind == DefKind::TypeAlias
        }
        RefKind::Use | RefKind::Key => def.kind != DefKind::Module,
    };
    if global::is_test_block(def) && global::has_test_blocks(entry.lang()) {
        return false;
    }
    // In Ruby a top-level function is a method of every object.
    let member_too = def.kind == DefKind::Function && entry.lang().semantics().functions_are_methods;
    by_kind && if member { is_member(entry, def) || member_too } else { is_free(entry, def) }
}

fn is_member(entry: &FileEntry, def: &Def) -> bool {
    matches!(def.kind, DefKind::Method | DefKind::Field)
        || def.parent.is_some_and(|parent| holds_members(entry, entry.facts.def(parent)))
}

fn is_path(r: &Ref) -> bool {
    matches!(r.receiver(), Receiver::Path(_))
}

/// Returns true if definitions inside this one are members of it.
fn holds_members(entry: &FileEntry, def: &Def) -> bool {
    def.kind.is_type() || is_table(entry, def)
}

/// Returns true if a bare name can mean the definition, since it belongs to no type. In C an enumeration's members are
/// free.
fn is_free(entry: &FileEntry, def: &Def) -> bool {
    let free_parent = def.parent.is_none_or(|parent| {
        let parent = entry.facts.def(parent);
        if is_table(entry, parent) {
            return false;
        }
        let parent = parent.kind;
        parent == DefKind::Module || (parent == DefKind::Enum && entry.lang().semantics().open_enums)
    });
    is_free_kind(def.kind) && free_parent
}

fn is_free_kind(kind: DefKind) -> bool {
    !matches!(kind, DefKind::Method | DefKind::Field)
}

/// Returns true if code of the site's file can reach the definition.
fn is_reachable(site: Site<'_>, file: FileId, entry: &FileEntry, def: &Def) -> bool {
    if file == site.file {
        return true;
    }
    let is_exported = def.flags.has(DefFlags::EXPORTED);
    match entry.lang().semantics().reach {
        Reach::Namespace => !is_free(entry, def) || global::is_near(site, entry, def),
        Reach::Linkage => is_visible(entry, def) || !is_free(entry, def),
        Reach::Member => is_exported || def.parent.is_some() || def.kind == DefKind::Method,
        Reach::File => is_exported,
        Reach::Folder => is_exported || entry.path.dir() == site.entry.path.dir(),
        Reach::Anywhere => true,
    }
}
