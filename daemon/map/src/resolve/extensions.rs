//! Resolves extension functions: written like members of a value's type, defined elsewhere (C#, Kotlin, Scala).
//!
//! A member of the type itself has precedence; extensions count if there is none, or the type is not visible. A file's
//! package and imports decide which extensions it may use, so an extension that nobody imported is never meant. The
//! receiver's type decides between several, if it is known; else the reference stays unresolved.

use hob_base::FileId;

use super::{NameLookup, Resolution, Resolver, Site, Thing, WantedKind};
use crate::facts::{Def, DefFlags, DefIdx, ImportKind, Receiver, Ref, TypePart};
use crate::index::FileEntry;
use crate::langs::semantics::ExtensionScope;
use crate::node::{Confidence, DefRef};

/// Most files that may define the name of an extension that is resolved.
const MANY: usize = 256;

impl<'m> Resolver<'m> {
    /// Returns the extension that `value.name` means, if one in sight can be meant.
    pub(super) fn extension_ref(&self, site: Site<'m>, r: &Ref) -> Option<Resolution> {
        let is_value = matches!(
            r.receiver(),
            Receiver::Typed(_) | Receiver::Unknown | Receiver::Path(_) | Receiver::SelfType
        );
        if !is_value || !has_extensions(site.entry) {
            return None;
        }
        let mut found = self.extensions_in_sight(site, site.entry.facts.name(r.name));
        if let (Receiver::Typed(ty), true) = (r.receiver(), found.len() > 1) {
            let ty = site.entry.facts.name(ty);
            let exact = |def: &DefRef| self.def(*def).is_some_and(|(entry, def)| is_extended(entry, def, ty));
            if found.iter().any(exact) {
                found.retain(exact);
            }
        }
        if let Receiver::Typed(ty) = r.receiver() {
            let ty = site.entry.facts.name(ty);
            let ty = ty.rsplit('.').next().unwrap_or(ty);
            found.retain(|def| self.may_extend(*def, ty));
        }
        let first = *found.first()?;
        let place = |def: DefRef| self.def(def).map(|(entry, d)| (def.file, entry.facts.name(d.qualified)));
        let one = found.iter().all(|def| place(*def) == place(first));
        let near = first.file == site.file && matches!(r.receiver(), Receiver::Typed(_));
        let sure = if near { Confidence::Exact } else { Confidence::Import };
        // Without the receiver's type, a name that the library's own values have too proves nothing.
        let told = matches!(r.receiver(), Receiver::Typed(_)) || !self.is_common(site, r);
        Some(if one && told { Resolution::To(Thing::Def(first), sure) } else { Resolution::Unresolved })
    }

    /// Returns true if an extension may extend values of a type: a value of a type from outside is never of one of the
    /// project's types.
    fn may_extend(&self, def: DefRef, ty: &str) -> bool {
        let Some((entry, def)) = self.def(def) else { return false };
        let extended = extended_type(entry, def);
        let is_own = |name: &str| !self.index.files_defining(name).is_empty();
        extended.is_empty() || extended == ty || is_own(ty) || !is_own(extended)
    }

    fn extensions_in_sight(&self, site: Site<'m>, name: &str) -> Vec<DefRef> {
        let files = self.index.files_defining(name);
        if files.len() > MANY {
            return Vec::new();
        }
        let mut found = Vec::new();
        for file in files.iter().map(|&file| FileId(file)) {
            let Some(entry) = self.entry(file).filter(|e| e.lang() == site.entry.lang()) else { continue };
            let named = entry.defs_named(name).filter(|(_, def)| {
                def.flags.has(DefFlags::EXTENSION) && self.is_in_sight(site, file, entry, def)
            });
            found.extend(named.map(|(def, _)| DefRef { file, def }));
        }
        found
    }

    fn is_in_sight(&self, site: Site<'m>, file: FileId, entry: &'m FileEntry, def: &Def) -> bool {
        if file == site.file {
            return true;
        }
        if !def.flags.has(DefFlags::EXPORTED) {
            return false;
        }
        let package = |entry: &'m FileEntry| entry.facts.package.map_or("", |id| entry.facts.name(id));
        let (home, here) = (package(entry), package(site.entry));
        let holder = def.parent.map(|parent| entry.facts.name(entry.facts.def(parent).qualified));
        let scope = entry.lang().semantics().extensions;
        if scope == ExtensionScope::ByHolder {
            return def.parent.is_some_and(|holder| self.can_name(site, DefRef { file, def: holder }));
        }
        if scope == ExtensionScope::Namespace {
            let around = here.strip_prefix(home).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            return around || home.is_empty() || self.opens_namespace(site, home);
        }
        let name = entry.facts.name(def.name);
        let Some(holder) = holder else { return home == here || is_imported(site.entry, home, name) };
        // The members of an implicit class are in sight if the class is imported.
        let (outer, class) = holder.rsplit_once('.').unwrap_or(("", holder));
        is_imported(site.entry, &dotted_name(home, holder), name)
            || is_imported(site.entry, &dotted_name(home, outer), class)
            || (outer.is_empty() && home == here && scope == ExtensionScope::PackageClass)
    }

    /// Returns true if the site's file can name a holder of extensions in another file.
    fn can_name(&self, site: Site<'m>, holder: DefRef) -> bool {
        let name = self.def(holder).map_or("", |(entry, def)| entry.facts.name(def.name));
        let found = self.resolve_bare(Site { owner: None, want: WantedKind::Scope, ..site }, name);
        matches!(found, NameLookup::Thing(Thing::Def(def), _) if def == holder)
    }

    /// Returns true if a C# file uses a namespace, by itself or by a `using` of the whole project.
    fn opens_namespace(&self, site: Site<'m>, package: &str) -> bool {
        let opens = |entry: &FileEntry, all: bool| {
            entry
                .star_imports()
                .any(|star| (all || star.reexported) && entry.facts.name(star.module) == package)
        };
        let wide = || site.entry.lang().spec().map(|row| row.imports.project_wide(self.index, site.file));
        let elsewhere =
            || wide().into_iter().flatten().any(|file| self.entry(file).is_some_and(|e| opens(e, false)));
        opens(site.entry, true) || elsewhere()
    }
}

/// Returns the type that an extension extends: the qualifier of its name, or the type of its holder; empty for any
/// type.
fn extended_type<'e>(entry: &'e FileEntry, def: &'e Def) -> &'e str {
    match def.parent {
        Some(holder) => entry.facts.type_of(holder, TypePart::VALUE).unwrap_or(""),
        None => entry.qualifier(def),
    }
}

/// Returns true if an extension extends exactly this type.
fn is_extended(entry: &FileEntry, def: &Def, ty: &str) -> bool {
    entry.qualifier(def) == ty || extended_type(entry, def) == ty
}

/// Returns true if a file imports `name` from `module`, by itself or with everything else. The path of an import may
/// lack the first parts of the module's.
fn is_imported(entry: &FileEntry, module: &str, name: &str) -> bool {
    entry.facts.imports.iter().any(|import| {
        let from = entry.facts.name(import.module);
        let same = from == module
            || module.strip_suffix(from).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        let whole = import.name.map_or("", |id| entry.facts.name(id));
        same && (import.kind == ImportKind::Star || whole == name)
    })
}

fn dotted_name(package: &str, name: &str) -> String {
    let names = [package, name].into_iter().filter(|name| !name.is_empty());
    names.collect::<Vec<_>>().join(".")
}

fn has_extensions(entry: &FileEntry) -> bool {
    entry.lang().semantics().extensions != ExtensionScope::None
}

/// Returns the extension of this name that other files can import from a file.
pub(super) fn top_extension(entry: &FileEntry, name: &str) -> Option<DefIdx> {
    let is_top = |def: &Def| def.parent.is_none() && def.flags.has(DefFlags::EXTENSION);
    entry.defs_named(name).find(|(_, def)| is_top(def)).map(|(idx, _)| idx)
}
