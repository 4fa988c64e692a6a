//! Resolves types that are written in several parts (C#'s `partial` types, a Scala class with its companion object),
//! and names of enclosing packages or of a whole project.

use hob_base::FileId;

use super::choice::pick_best_def;
use super::members::is_plain;
use super::{Bases, NameLookup, Resolver, Site, Thing, WantedKind};
use crate::facts::{Def, DefFlags, DefIdx};
use crate::index::FileEntry;
use crate::langs::support::project::packages;
use crate::node::{Confidence, DefRef};

/// Most parts of one type that are searched.
const MOST: usize = 32;

impl<'m> Resolver<'m> {
    /// Returns a member that another part of a type defines.
    pub(super) fn member_of_piece(&self, class: DefRef, name: &str) -> Option<DefRef> {
        self.other_pieces(class).into_iter().find_map(|piece| {
            let (entry, _) = self.def(piece)?;
            let within = entry.defs_named(name).filter(|(_, child)| child.parent == Some(piece.def));
            Some(DefRef { file: piece.file, def: pick_best_def(within, WantedKind::Any)? })
        })
    }

    /// Adds the bases that the other parts of a `partial` type name. A companion's bases are its own.
    pub(super) fn add_bases_of_pieces(&self, class: DefRef, bases: &mut Bases) {
        let partial = self.def(class).is_some_and(|(_, def)| def.flags.has(DefFlags::PARTIAL));
        for piece in if partial { self.other_pieces(class) } else { Vec::new() } {
            let Some(entry) = self.entry(piece.file) else { continue };
            for r in entry.bases_of(piece.def) {
                match self.resolve_base(piece, entry, r) {
                    Some(base) if base != class => bases.known.push(base),
                    Some(_) => {}
                    None => bases.open |= !is_plain(entry, r),
                }
            }
        }
    }

    /// Returns the part that stands for a `partial` type: the one in the file with the type's name, otherwise one that
    /// names bases, otherwise the first by path.
    pub(super) fn main_piece(&self, piece: DefRef) -> DefRef {
        let partial = self.def(piece).filter(|(_, def)| def.flags.has(DefFlags::PARTIAL));
        let Some((entry, def)) = partial else { return piece };
        self.get_or_compute(&self.bodies, piece, || {
            let name = entry.facts.name(def.name);
            let key = |piece: &DefRef| {
                let entry = self.entry(piece.file)?;
                let stem = entry.path.file_name().split('.').next() == Some(name);
                let plain = entry.path.file_name().matches('.').count() == 1;
                let bare = entry.bases_of(piece.def).next().is_none();
                Some((!(stem && plain), bare, entry.path.as_str(), piece.def))
            };
            let all = self.partial_pieces(entry, piece, def).into_iter().chain([piece]);
            all.min_by_key(key).unwrap_or(piece)
        })
    }

    /// Returns the other parts of a type.
    fn other_pieces(&self, class: DefRef) -> Vec<DefRef> {
        match self.def(class) {
            Some((entry, def)) if entry.lang().semantics().companions => companion_types(entry, class, def),
            Some((entry, def)) if def.flags.has(DefFlags::PARTIAL) => self.partial_pieces(entry, class, def),
            _ => Vec::new(),
        }
    }

    fn partial_pieces(&self, entry: &'m FileEntry, class: DefRef, def: &Def) -> Vec<DefRef> {
        let package = |entry: &'m FileEntry| entry.facts.package.map(|id| entry.facts.name(id));
        let qualified = entry.facts.name(def.qualified);
        let files = self.index.files_defining(entry.facts.name(def.name)).iter().map(|&file| FileId(file));
        let found = files.filter_map(|file| {
            let other =
                self.entry(file).filter(|e| e.lang() == entry.lang() && package(e) == package(entry))?;
            let named = other.defs_named(entry.facts.name(def.name));
            let same = named.filter(|(_, d)| {
                d.flags.has(DefFlags::PARTIAL) && other.facts.name(d.qualified) == qualified
            });
            Some(same.map(move |(def, _)| DefRef { file, def }))
        });
        found.flatten().filter(|piece| *piece != class).take(MOST).collect()
    }

    /// Returns a top-level name of a package or of an enclosing one, innermost first; last the nameless package.
    pub(super) fn in_packages_around(&self, site: Site<'m>, name: &str, package: &str) -> Option<DefRef> {
        let same = |entry: &FileEntry| entry.lang().language_group() == site.entry.lang().language_group();
        packages::packages_around(package).chain([""]).find_map(|around| {
            let files = self.index.paths().files_of_package(around);
            self.first_defining(files, name, site.want, &same)
        })
    }

    /// Returns a top-level name of an imported file whose package is the importing file's, or the innermost of those
    /// around it.
    pub(super) fn starred_in_packages(&self, site: Site<'m>, name: &str, mut open: bool) -> NameLookup {
        let mut best: Option<(usize, DefRef)> = None;
        for star in site.entry.star_imports() {
            let module = self.resolve_module(site.file, site.entry, star.module);
            match self.lookup_in(&module, name, &mut Vec::new()) {
                NameLookup::Thing(Thing::Def(def), _) => {
                    let found = self.package_around(site, def).map(|depth| (depth, def));
                    best = found.filter(|(depth, _)| best.is_none_or(|(most, _)| *depth > most)).or(best);
                }
                NameLookup::Thing(..) | NameLookup::Bound => open = true,
                NameLookup::Absent { open: unseen } => open |= unseen,
            }
        }
        match best {
            Some((_, def)) => NameLookup::Thing(Thing::Def(def), Confidence::Import),
            None => NameLookup::Absent { open },
        }
    }

    /// Returns the length of the package of a definition's file, if it is the site's own or encloses it.
    fn package_around(&self, site: Site<'m>, def: DefRef) -> Option<usize> {
        let package = |entry: &'m FileEntry| entry.facts.package.map_or("", |id| entry.facts.name(id));
        let theirs = package(self.entry(def.file)?);
        let mut around = packages::packages_around(package(site.entry)).chain([""]);
        around.find(|around| *around == theirs).map(str::len)
    }

    /// Looks a name up through other files' star imports that hold for the whole project.
    pub(super) fn through_project_wide(&self, site: Site<'m>, name: &str, mut open: bool) -> NameLookup {
        let Some(row) = site.entry.lang().spec() else { return NameLookup::Absent { open } };
        for file in row.imports.project_wide(self.index, site.file) {
            let Some(entry) = self.entry(file).filter(|_| file != site.file) else { continue };
            for star in entry.star_imports().filter(|star| star.reexported) {
                let module = self.resolve_module(file, entry, star.module);
                match self.lookup_in(&module, name, &mut Vec::new()) {
                    NameLookup::Thing(Thing::External(_), _) | NameLookup::Bound => open = true,
                    NameLookup::Thing(thing, sure) => {
                        return NameLookup::Thing(thing, sure.max(Confidence::Import));
                    }
                    NameLookup::Absent { open: unseen } => open |= unseen,
                }
            }
        }
        NameLookup::Absent { open }
    }
}

/// Returns the companions of a class: the objects of its name in its file, or the class of an object.
fn companion_types(entry: &FileEntry, class: DefRef, def: &Def) -> Vec<DefRef> {
    let named = entry.defs_named(entry.facts.name(def.name));
    let twins = named.filter(|(idx, twin): &(DefIdx, &Def)| {
        *idx != class.def && twin.qualified == def.qualified && twin.kind.is_type()
    });
    twins.take(MOST).map(|(idx, _)| DefRef { file: class.file, def: idx }).collect()
}
