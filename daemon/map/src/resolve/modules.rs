//! Resolves modules: the targets of imports, the exports of modules, and dotted paths through them.

use std::rc::Rc;
use std::sync::Arc;

use hob_base::FileId;

use super::choice::pick_best_def;
use super::members::MemberLookup;
use super::schemas;
use super::{Module, NameLookup, Resolver, Site, Thing, WantedKind};
use crate::facts::{Def, DefFlags, DefKind, Import, ImportKind, StrId};
use crate::index::FileEntry;
use crate::langs::lang::Lang;
use crate::langs::rules::ModuleTarget;
use crate::langs::support::schemas::is_generated_module;
use crate::node::{Confidence, DefRef};

/// Most files searched that may declare one module.
const DECLARING: usize = 8;

/// Longest chain of re-exports that is followed.
const MAX_TRAIL: usize = 24;

/// The (file, name) pairs that a search for an export has visited.
pub(super) type Trail = Vec<(FileId, Box<str>)>;

impl<'m> Resolver<'m> {
    /// Returns the module that `file` names `spec`.
    pub(crate) fn resolve_module(&self, file: FileId, entry: &'m FileEntry, spec: StrId) -> Rc<Module> {
        let text = entry.facts.name(spec);
        let known = self.targets.borrow().get(&(file, spec)).map(Arc::clone);
        let target = known.unwrap_or_else(|| {
            let target = self.module_target(file, entry.lang(), text);
            self.targets.borrow_mut().insert((file, spec), Arc::clone(&target));
            target
        });
        Rc::new(Module { from: file, spec: text.into(), target })
    }

    /// Returns the module that a file loads within an expression.
    pub(super) fn loaded_module(&self, site: Site<'m>, spec: &str) -> Thing {
        let target = self.module_target(site.file, site.entry.lang(), spec);
        as_thing(Rc::new(Module { from: site.file, spec: spec.into(), target }))
    }

    /// Returns the module that a file names `spec`, or the package outside.
    pub(crate) fn thing_of_module(&self, file: FileId, spec: &str) -> Thing {
        let lang = self.entry(file).map(FileEntry::lang);
        let target =
            lang.map_or_else(|| Arc::new(ModuleTarget::Unknown), |lang| self.module_target(file, lang, spec));
        as_thing(Rc::new(Module { from: file, spec: spec.into(), target }))
    }

    /// Returns the thing for which a dotted path stands in a file, outside of all definitions.
    pub(crate) fn path_in_file(&self, file: FileId, path: &str) -> NameLookup {
        match self.entry(file).filter(|_| !path.is_empty()) {
            Some(entry) => self.follow_path(Site { file, entry, owner: None, want: WantedKind::Any }, path),
            None => NameLookup::Absent { open: false },
        }
    }

    fn module_target(&self, file: FileId, lang: Lang, spec: &str) -> Arc<ModuleTarget> {
        let find =
            || lang.spec().map_or(ModuleTarget::Unknown, |row| row.imports.resolve(self.index, file, spec));
        if self.keeps { self.index.targets().get(file, spec, find) } else { Arc::new(find()) }
    }

    /// Returns the thing that an import binds.
    pub(crate) fn binding(&self, file: FileId, entry: &'m FileEntry, import: &Import) -> NameLookup {
        self.bind_import(file, entry, import, &mut Vec::new())
    }

    /// Returns the thing that the import at an index in the file binds, from the cache if possible.
    pub(super) fn binding_at(&self, file: FileId, entry: &'m FileEntry, at: u32) -> NameLookup {
        self.get_or_compute(&self.bindings, (file, at), || {
            self.binding(file, entry, &entry.facts.imports[at as usize])
        })
    }

    fn bind_import(
        &self,
        file: FileId,
        entry: &'m FileEntry,
        import: &Import,
        trail: &mut Trail,
    ) -> NameLookup {
        let module = self.resolve_module(file, entry, import.module);
        if entry.lang().semantics().open_namespaces && *module.target == ModuleTarget::Unknown {
            return self.bind_from_namespace(file, entry, import);
        }
        match (import.kind, import.name) {
            (ImportKind::Named, Some(name)) => match self.lookup_in(&module, entry.facts.name(name), trail) {
                NameLookup::Thing(thing, confidence) => {
                    NameLookup::Thing(thing, confidence.max(Confidence::Import))
                }
                // A file that returns no table of its own is its own export.
                _ if entry.lang().semantics().returned_tables
                    && entry.facts.name(name) == "default"
                    && matches!(*module.target, ModuleTarget::File(_)) =>
                {
                    NameLookup::Thing(as_thing(module), Confidence::Import)
                }
                NameLookup::Bound | NameLookup::Absent { .. } => NameLookup::Bound,
            },
            _ => NameLookup::Thing(as_thing(module), Confidence::Import),
        }
    }

    /// Binds `using a::b;` and `namespace c = a::b;`: a namespace is no file, so its name is followed as a path.
    fn bind_from_namespace(&self, file: FileId, entry: &'m FileEntry, import: &Import) -> NameLookup {
        let mut path = entry.facts.name(import.module).replace("::", ".");
        if let Some(name) = import.name {
            path = format!("{path}.{}", entry.facts.name(name));
        }
        let site = Site { file, entry, owner: import.owner, want: WantedKind::Scope };
        match self.follow_path(site, path.trim_start_matches('.')) {
            NameLookup::Thing(thing, sure) => NameLookup::Thing(thing, sure.max(Confidence::Import)),
            NameLookup::Bound | NameLookup::Absent { .. } => NameLookup::Bound,
        }
    }

    /// Looks a name up in a module: in its files, then among the modules inside it.
    pub(super) fn lookup_in(&self, module: &Rc<Module>, name: &str, trail: &mut Trail) -> NameLookup {
        self.with_fuel(NameLookup::Bound, || {
            let found = match &*module.target {
                ModuleTarget::File(file) => self.find_export(*file, name, trail),
                ModuleTarget::Files(files) => self.exported_by_any(files, name, trail),
                ModuleTarget::Inside(file, inner) => self.find_inside(*file, inner, name, trail),
                ModuleTarget::External(package) => {
                    let outside =
                        || NameLookup::Thing(Thing::External(package.as_str().into()), Confidence::Import);
                    // The folder of generated modules need not exist.
                    let generated =
                        || if is_generated_module(name) { self.submodule(module, name) } else { None };
                    let found = self.in_ambient_module(module, name, trail).or_else(generated);
                    return found.unwrap_or_else(outside);
                }
                ModuleTarget::Unknown => NameLookup::Bound,
            };
            match found {
                // A star import passes on names, but no submodules; the package's own submodule has precedence.
                NameLookup::Thing(Thing::Module(_), _) if self.has_only_by_star(module, name) => {
                    self.submodule(module, name).unwrap_or(found)
                }
                NameLookup::Thing(..) => found,
                NameLookup::Absent { .. } if name == "default" && self.is_own_default(module) => {
                    NameLookup::Thing(Thing::Module(Rc::clone(module)), Confidence::Import)
                }
                missing => self.submodule(module, name).unwrap_or(missing),
            }
        })
    }

    /// Returns a name of a module from outside that a file of the project declares: `declare module "x" { export const
    /// name; }`.
    fn in_ambient_module(&self, module: &Module, name: &str, trail: &mut Trail) -> Option<NameLookup> {
        let from = self.entry(module.from).filter(|from| from.lang().semantics().ambient_modules)?;
        let declaring =
            self.index.files_defining(&module.spec).iter().take(DECLARING).map(|&file| FileId(file));
        declaring.into_iter().find_map(|file| {
            let entry = self.entry(file)?;
            let is_it = |def: &Def| def.kind == DefKind::Module && def.parent.is_none();
            let is_near = entry.lang().language_group() == from.lang().language_group();
            entry.defs_named(&module.spec).find(|(_, def)| is_near && is_it(def))?;
            match self.find_inside(file, &module.spec, name, trail) {
                found @ NameLookup::Thing(..) => Some(found),
                NameLookup::Bound | NameLookup::Absent { .. } => None,
            }
        })
    }

    fn is_own_default(&self, module: &Module) -> bool {
        let ModuleTarget::File(file) = *module.target else { return false };
        let Some(entry) = self.entry(file) else { return false };
        let beginnings = entry.lang().semantics().module_is_default;
        let is_offered = |def: &Def| {
            let signature = entry.facts.signature(def);
            beginnings.iter().any(|beginning| signature.starts_with(beginning))
        };
        !beginnings.is_empty() && entry.facts.defs.iter().any(is_offered)
    }

    /// Returns true if a module can have a name only by a star import that passes on no modules.
    fn has_only_by_star(&self, module: &Module, name: &str) -> bool {
        let ModuleTarget::File(file) = *module.target else { return false };
        self.entry(file).is_some_and(|entry| {
            entry.lang().semantics().modules_before_stars && entry.bindings_of(name).is_empty()
        })
    }

    /// Returns a submodule of a module.
    fn submodule(&self, module: &Rc<Module>, name: &str) -> Option<NameLookup> {
        let lang = self.entry(module.from)?.lang();
        let spec = lang.spec()?.imports.submodule(&module.spec, name)?;
        let target = self.module_target(module.from, lang, &spec);
        if matches!(*target, ModuleTarget::Unknown | ModuleTarget::External(_)) {
            return None;
        }
        let module = Module { from: module.from, spec: spec.into(), target };
        Some(NameLookup::Thing(Thing::Module(Rc::new(module)), Confidence::Import))
    }

    fn exported_by_any(&self, files: &[FileId], name: &str, trail: &mut Trail) -> NameLookup {
        let found = self.first_defining(files, name, WantedKind::Any, &|_| true);
        if let Some(def) = found {
            return NameLookup::Thing(Thing::Def(def), Confidence::Import);
        }
        let mut open = false;
        for &file in files {
            match self.find_export(file, name, trail) {
                NameLookup::Absent { open: unseen } => open |= unseen,
                found => return found,
            }
        }
        NameLookup::Absent { open }
    }

    /// Returns the thing that a file exports under a name, with a trail of its own.
    pub(crate) fn export_of(&self, file: FileId, name: &str) -> NameLookup {
        self.find_export(file, name, &mut Vec::new())
    }

    /// Returns the thing that a file exports under a name.
    pub(super) fn find_export(&self, file: FileId, name: &str, trail: &mut Trail) -> NameLookup {
        let seen = trail.iter().any(|(f, n)| *f == file && **n == *name);
        self.cut.set(self.cut.get() || seen);
        let Some(entry) = self.entry(file).filter(|_| !seen && trail.len() < MAX_TRAIL) else {
            return NameLookup::Absent { open: false };
        };
        trail.push((file, name.into()));
        self.with_fuel(NameLookup::Bound, || self.exported_inner(file, entry, name, trail))
    }

    fn exported_inner(
        &self,
        file: FileId,
        entry: &'m FileEntry,
        name: &str,
        trail: &mut Trail,
    ) -> NameLookup {
        if let Some(found) = self.export_entry(file, entry, name, trail) {
            return found;
        }
        let site = Site { file, entry, owner: None, want: WantedKind::Any };
        let own = entry
            .defs_named(name)
            .filter(|(_, def)| def.parent.is_none() && def.qualified == def.name && is_visible(entry, def))
            .filter(|(_, def)| is_offered(entry, def));
        let own = pick_best_def(own, site.want)
            .or_else(|| if name == "default" { default_def(entry) } else { None });
        if let Some(def) = own {
            return NameLookup::Thing(Thing::Def(DefRef { file, def }), Confidence::Import);
        }
        if let Some(def) = super::extensions::top_extension(entry, name) {
            return NameLookup::Thing(Thing::Def(DefRef { file, def }), Confidence::Import);
        }
        if let Some(found) = self.find_reexport(file, entry, name, trail) {
            return found;
        }
        if let Some(found) = self.in_returned_table(file, entry, name) {
            return found;
        }
        if let Some(def) = in_default_namespace(entry, name).or_else(|| schemas::generated_from(entry, name))
        {
            return NameLookup::Thing(Thing::Def(DefRef { file, def }), Confidence::Import);
        }
        self.star_exported(file, entry, name, trail)
    }

    /// Resolves `export { local as name }`.
    fn export_entry(
        &self,
        file: FileId,
        entry: &'m FileEntry,
        name: &str,
        trail: &mut Trail,
    ) -> Option<NameLookup> {
        let id = entry.facts.names.find(name)?;
        let export = entry.facts.exports.iter().find(|export| export.exported == id)?;
        let local = entry.facts.name(export.local);
        let site = Site { file, entry, owner: None, want: WantedKind::Any };
        if let Some(def) = pick_best_def(super::choice::top_defs(entry, local), site.want) {
            return Some(NameLookup::Thing(Thing::Def(DefRef { file, def }), Confidence::Import));
        }
        let mut imports = entry.facts.imports.iter();
        let import = imports.find(|i| {
            i.local == Some(export.local)
                || (i.local.is_none() && i.reexported && i.name == Some(export.local))
        })?;
        Some(self.bind_import(file, entry, import, trail))
    }

    fn find_reexport(
        &self,
        file: FileId,
        entry: &'m FileEntry,
        name: &str,
        trail: &mut Trail,
    ) -> Option<NameLookup> {
        let id = entry.facts.names.find(name)?;
        let passes_on = |i: &&Import| {
            let named = i.local == Some(id) || (i.local.is_none() && i.name == Some(id));
            named && i.reexported && i.owner.is_none()
        };
        let mut best = None;
        for import in entry.facts.imports.iter().filter(passes_on) {
            match self.bind_import(file, entry, import, trail) {
                found @ NameLookup::Thing(Thing::Def(_), _) => return Some(found),
                found => best = best.or(Some(found)),
            }
        }
        best
    }

    fn star_exported(&self, file: FileId, entry: &'m FileEntry, name: &str, trail: &mut Trail) -> NameLookup {
        let mut open = false;
        // `export *` excludes the default export.
        let stars =
            entry.star_imports().filter(|star| star.reexported && star.owner.is_none() && name != "default");
        for star in super::scope::in_binding_order(entry, stars) {
            let module = self.resolve_module(file, entry, star.module);
            match self.lookup_in(&module, name, trail) {
                NameLookup::Thing(Thing::External(_), _) | NameLookup::Bound => open = true,
                NameLookup::Absent { open: unseen } => open |= unseen,
                found => return found,
            }
        }
        NameLookup::Absent { open }
    }

    /// Looks a name up in an inline module of a file, or in a type in it.
    fn find_inside(&self, file: FileId, inner: &str, name: &str, trail: &mut Trail) -> NameLookup {
        let Some(entry) = self.entry(file) else { return NameLookup::Absent { open: false } };
        let Some(scope) = entry.def_qualified(inner, 1) else { return NameLookup::Absent { open: false } };
        let def = entry.facts.def(scope);
        if def.kind != DefKind::Module {
            return self.member_of_type(DefRef { file, def: scope }, name, WantedKind::Any);
        }
        let within = entry.defs_named(name).filter(|(_, child)| entry.qualifier(child) == inner);
        if let Some(child) = pick_best_def(within, WantedKind::Any) {
            return NameLookup::Thing(Thing::Def(DefRef { file, def: child }), Confidence::Import);
        }
        let id = entry.facts.names.find(name);
        let import =
            entry.facts.imports.iter().find(|i| i.owner == Some(scope) && id.is_some() && i.local == id);
        match import {
            Some(import) => self.bind_import(file, entry, import, trail),
            None => NameLookup::Absent { open: false },
        }
    }

    /// Returns the thing for which a dotted path stands at a site.
    pub(super) fn follow_path(&self, site: Site<'m>, path: &str) -> NameLookup {
        self.with_fuel(NameLookup::Bound, || {
            let (first, rest) = path.split_once('.').unwrap_or((path, ""));
            let start = match first {
                "self" | "Self" | "super" | "crate" if site.entry.lang().semantics().path_keywords => {
                    self.keyword_start(site, first)
                }
                // The path of a type may start with a module.
                _ if site.want == WantedKind::Type && !rest.is_empty() => {
                    self.resolve_bare(Site { want: WantedKind::Scope, ..site }, first)
                }
                _ => self.resolve_bare(site, first),
            };
            match start {
                NameLookup::Thing(thing, confidence) => self.walk(site, thing, confidence, rest),
                NameLookup::Bound => NameLookup::Bound,
                NameLookup::Absent { open } => self.follow_unbound(site, path, open),
            }
        })
    }

    /// Returns the start of a path that begins with a keyword: the enclosing type for `Self::X`, nothing for module
    /// paths.
    fn keyword_start(&self, site: Site<'m>, first: &str) -> NameLookup {
        let class = if first == "Self" { self.enclosing_type(site) } else { None };
        class.map_or(NameLookup::Absent { open: false }, |class| {
            NameLookup::Thing(class.into(), Confidence::Exact)
        })
    }

    /// Resolves a path that starts with a module rather than with a name in scope.
    fn follow_unbound(&self, site: Site<'m>, path: &str, open: bool) -> NameLookup {
        let Some(row) = site.entry.lang().spec() else { return NameLookup::Absent { open } };
        let Some((target, taken)) = row.imports.resolve_path(self.index, site.file, path) else {
            return self.at_root(site, path).unwrap_or(NameLookup::Absent { open });
        };
        let end = path.match_indices('.').nth(taken.saturating_sub(1)).map_or(path.len(), |(at, _)| at);
        let rest = path.get(end + 1..).unwrap_or("");
        let spec = path.get(..end).unwrap_or(path);
        let module = Rc::new(Module { from: site.file, spec: spec.into(), target: Arc::new(target) });
        self.walk(site, as_thing(module), Confidence::Import, rest)
    }

    fn walk(&self, site: Site<'m>, mut thing: Thing, mut sure: Confidence, rest: &str) -> NameLookup {
        for segment in rest.split('.').filter(|segment| !segment.is_empty()) {
            match self.member_of_thing(site, &thing, segment) {
                NameLookup::Thing(next, confidence) => (thing, sure) = (next, sure.max(confidence)),
                other => return other,
            }
        }
        NameLookup::Thing(thing, sure)
    }

    /// Looks a name up in a thing: a member of a type, of a module, or of a package outside.
    pub(super) fn member_of_thing(&self, site: Site<'m>, thing: &Thing, name: &str) -> NameLookup {
        match thing {
            Thing::External(_) => NameLookup::Thing(thing.clone(), Confidence::Import),
            Thing::Module(module) => self.lookup_in(module, name, &mut Vec::new()),
            Thing::Def(def) => {
                let Some((entry, found)) = self.def(*def) else { return NameLookup::Bound };
                if found.kind == DefKind::Module && !entry.lang().semantics().modules_are_types {
                    return self.in_namespace(*def, name);
                }
                if !self.has_members(*def) {
                    return match self.type_of(*def, crate::facts::TypePart::VALUE, None) {
                        Some(ty) => self.member_of_thing(site, &ty, name),
                        None => self.key_of_object(site, *def, name),
                    };
                }
                let near = if entry.path == site.entry.path { Confidence::Exact } else { Confidence::Import };
                match self.member_of_type(*def, name, site.want) {
                    NameLookup::Thing(Thing::Def(member), _) if member.file == def.file => {
                        NameLookup::Thing(Thing::Def(member), near)
                    }
                    other => other,
                }
            }
        }
    }

    /// Returns a key of the object literal that initialises a variable, or of the object type that an alias names.
    fn key_of_object(&self, site: Site<'m>, object: DefRef, name: &str) -> NameLookup {
        let Some(entry) = self.entry(object.file) else { return NameLookup::Bound };
        if !entry.lang().semantics().objects_hide_members {
            return NameLookup::Bound;
        }
        match self.find_wanted(object, name, WantedKind::Any) {
            MemberLookup::Found(key) => {
                let near = if key.file == site.file { Confidence::Exact } else { Confidence::Import };
                NameLookup::Thing(key.into(), near)
            }
            MemberLookup::Missing { .. } => NameLookup::Bound,
        }
    }

    fn member_of_type(&self, class: DefRef, name: &str, want: WantedKind) -> NameLookup {
        match self.find_wanted(class, name, want) {
            MemberLookup::Found(def) => NameLookup::Thing(Thing::Def(def), Confidence::Import),
            MemberLookup::Missing { open } => NameLookup::Absent { open },
        }
    }

    /// Returns a name in a namespace: in this file, or in the only other place of the project that has it.
    fn in_namespace(&self, space: DefRef, name: &str) -> NameLookup {
        let Some((entry, def)) = self.def(space) else { return NameLookup::Absent { open: false } };
        let qualifier = entry.facts.name(def.qualified);
        match self.find_inside(space.file, qualifier, name, &mut Vec::new()) {
            NameLookup::Absent { .. } => {}
            found => return found,
        }
        let elsewhere = self.index.files_defining(name).iter().take(64).filter_map(|&file| {
            let file = FileId(file);
            let entry = self.entry(file).filter(|e| e.lang().semantics().open_namespaces)?;
            let within = entry.defs_named(name).filter(|(_, child)| entry.qualifier(child) == qualifier);
            Some(DefRef { file, def: pick_best_def(within, WantedKind::Any)? })
        });
        let bodies: rustc_hash::FxHashSet<DefRef> = elsewhere.map(|def| self.body_of(def)).collect();
        match bodies.into_iter().collect::<Vec<_>>()[..] {
            [def] => NameLookup::Thing(Thing::Def(def), Confidence::Import),
            _ => NameLookup::Absent { open: true },
        }
    }
}

fn as_thing(module: Rc<Module>) -> Thing {
    match &*module.target {
        ModuleTarget::External(package) => Thing::External(package.as_str().into()),
        _ => Thing::Module(module),
    }
}

/// Returns true if other files can name a top-level definition: in C and C++, everything in headers, and elsewhere
/// functions and variables that are not `static`; in other languages, every one.
pub(super) fn is_visible(entry: &FileEntry, def: &Def) -> bool {
    let linked = || has_linkage(def.kind) && def.flags.has(DefFlags::EXPORTED) && !in_enum(entry, def);
    !entry.lang().semantics().declares_in_headers || entry.is_header() || linked()
}

fn in_enum(entry: &FileEntry, def: &Def) -> bool {
    def.parent.is_some_and(|parent| entry.facts.def(parent).kind == DefKind::Enum)
}

/// Returns true if definitions of a kind are visible outside their file without a header.
pub(super) fn has_linkage(kind: DefKind) -> bool {
    matches!(kind, DefKind::Function | DefKind::Variable | DefKind::Constant)
}

/// Returns true if a file offers only its exports: it exports something, and is no declaration file.
fn exports_by_word(entry: &FileEntry) -> bool {
    let facts = &entry.facts;
    entry.lang().semantics().exports_by_word
        && !is_declaration(entry)
        && (!facts.exports.is_empty() || facts.defs.iter().any(|def| def.flags.has(DefFlags::EXPORTED)))
}

/// Returns true if a file declares what another one defines.
fn is_declaration(entry: &FileEntry) -> bool {
    [".d.ts", ".d.mts", ".d.cts"].iter().any(|ending| entry.path.as_str().ends_with(ending))
}

/// Returns a member of the namespace that a file exports as a whole: `export = e` with `declare namespace e`.
fn in_default_namespace(entry: &FileEntry, name: &str) -> Option<crate::facts::DefIdx> {
    let facts = &entry.facts;
    let mut whole = facts.exports.iter().filter(|export| facts.name(export.exported) == "default");
    let export = whole.next().filter(|_| is_declaration(entry))?;
    entry.def_qualified(&format!("{}.{name}", facts.name(export.local)), 1)
}

/// Returns true if a file offers a definition under the definition's own name. `export default class A` offers it only
/// as `default`, unless the file exports the name elsewhere as well.
fn is_offered(entry: &FileEntry, def: &Def) -> bool {
    if !exports_by_word(entry) {
        return true;
    }
    let named = |export: &crate::facts::Export| export.local == def.name;
    let is_default_alone = def.flags.has(DefFlags::DEFAULT) && !entry.facts.exports.iter().any(named);
    def.flags.has(DefFlags::EXPORTED) && !is_default_alone
}

fn default_def(entry: &FileEntry) -> Option<crate::facts::DefIdx> {
    entry.facts.defs_indexed().find(|(_, def)| def.flags.has(DefFlags::DEFAULT)).map(|(idx, _)| idx)
}
