//! Resolves Ruby's constants by their qualified names, in whatever file they are defined.
//!
//! Nothing imports them, and a class may be reopened in many places. The modules around a name decide which qualified
//! names are tried. Of several places, one stands for all: the one to which the path convention points (`A::B` in
//! `a/b.rb`), or that names the superclass. Members and bases are those of every place. Test code reopens nothing for
//! other files.

use hob_base::FileId;

use super::choice::{pick_best_def, top_defs};
use super::{Bases, NameLookup, Resolution, Resolver, Site, Thing, WantedKind, builtins};
use crate::facts::{Def, DefFlags, DefIdx, DefKind, ImportKind, Ref};
use crate::langs::rules::ModuleTarget;
use crate::node::{Confidence, DefRef};

/// Most files defining a name that are searched.
const MANY: usize = 512;
/// Names of folders that hold code for tests.
const TESTS: &[&str] =
    &["test", "tests", "spec", "specs", "features", "fixtures", "examples", "benchmark", "benchmarks"];

impl<'m> Resolver<'m> {
    /// Resolves a constant by its name or path (`A.B`), whose beginning nothing in sight binds, from the innermost
    /// module outwards. Returns [`NameLookup::Bound`] if the project has the name only elsewhere.
    pub(super) fn constant_path(&self, site: Site<'m>, path: &str) -> Option<NameLookup> {
        let last = path.rsplit('.').next().unwrap_or(path);
        if !last.starts_with(char::is_uppercase) || self.index.files_defining(last).is_empty() {
            return None;
        }
        let facts = &site.entry.facts;
        let around =
            std::iter::successors(site.owner, |&def| facts.def(def).parent).map(|def| facts.def(def));
        let modules = around.filter(|def| is_module(def)).map(|def| facts.name(def.qualified));
        let tried = modules.map(|module| format!("{module}.{path}")).chain([path.to_owned()]);
        let mut met = false;
        for qualified in tried {
            let places = self.places_of_constant(&qualified);
            met |= !places.is_empty();
            if let Some(def) = self.foremost_place(site.file, &places, &qualified) {
                let sure = self.confidence_of_place(site, def, &places, &qualified);
                return Some(NameLookup::Thing(Thing::Def(def), sure));
            }
        }
        let builtin = builtins::is_global(site.entry.lang(), path.split('.').next().unwrap_or(path));
        (met || !builtin).then_some(NameLookup::Bound)
    }

    /// Returns the places that define a class, module or constant with this qualified name, one per file.
    fn places_of_constant(&self, qualified: &str) -> Vec<DefRef> {
        let last = qualified.rsplit('.').next().unwrap_or(qualified);
        let files = self.index.files_defining(last).iter().take(MANY).map(|&file| FileId(file));
        let found = files.filter_map(|file| {
            let entry = self.entry(file).filter(|entry| entry.lang().semantics().constants_by_capital)?;
            let is_it = |def: &Def| {
                entry.facts.name(def.qualified) == qualified
                    && (is_module(def) || def.kind == DefKind::Constant)
            };
            let (def, _) = entry.defs_named(last).find(|(_, def)| is_it(def))?;
            Some(DefRef { file, def })
        });
        found.collect()
    }

    /// Returns the place that stands for all places of a constant.
    fn foremost_place(&self, from: FileId, places: &[DefRef], qualified: &str) -> Option<DefRef> {
        let is_alone = places.len() == 1;
        let is_code =
            |def: &&DefRef| is_alone || self.entry(def.file).is_some_and(|e| !is_for_tests(e.path.as_str()));
        let conventional = format!("{}.rb", snake_case_path(qualified));
        let key = |def: &&DefRef| {
            let entry = self.entry(def.file);
            let path = entry.map_or("", |entry| entry.path.as_str());
            let strayed = !path.ends_with(&conventional);
            let plain = entry.is_none_or(|entry| entry.bases_of(def.def).next().is_none());
            let far = def.file != from;
            // A file that only declares types ranks behind the code.
            (path.ends_with(".rbi"), strayed, plain, far, path)
        };
        places.iter().filter(is_code).min_by_key(key).copied()
    }

    /// Returns the confidence that a constant is the project's: `import` if an import leads to one of its files, or if
    /// the convention by which constants are loaded points to this one alone; otherwise `name`.
    fn confidence_of_place(
        &self,
        site: Site<'m>,
        def: DefRef,
        places: &[DefRef],
        qualified: &str,
    ) -> Confidence {
        let is_required = || places.iter().any(|place| self.requires(site, place.file));
        let conventional = format!("{}.rb", snake_case_path(qualified));
        let keeps_to_it = |place: &&DefRef| {
            self.entry(place.file).is_some_and(|entry| {
                let path = entry.path.as_str();
                let rest = path.strip_suffix(&*conventional);
                rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/')) && !is_for_tests(path)
            })
        };
        let mut conventional = places.iter().filter(keeps_to_it);
        let is_loaded = conventional.next() == Some(&def) && conventional.next().is_none();
        if is_loaded || is_required() { Confidence::Import } else { Confidence::Name }
    }

    /// Returns true if a file requires another.
    fn requires(&self, site: Site<'m>, file: FileId) -> bool {
        let mut required = site.entry.facts.imports.iter().filter(|import| import.kind == ImportKind::Effect);
        required.any(|import| {
            let module = self.resolve_module(site.file, site.entry, import.module);
            matches!(*module.target, ModuleTarget::File(found) if found == file)
        })
    }

    /// Returns a constant that a class or module itself has, in whatever file it is defined.
    pub(super) fn constant_in(&self, class: DefRef, within: &str, name: &str) -> Option<DefRef> {
        let qualified = format!("{within}.{name}");
        self.foremost_place(class.file, &self.places_of_constant(&qualified), &qualified)
    }

    /// Returns the other places that reopen a class.
    fn reopening_places(&self, class: DefRef) -> Vec<DefRef> {
        let Some((entry, def)) = self.def(class).filter(|(_, def)| is_module(def)) else { return Vec::new() };
        let mut places = self.places_of_constant(entry.facts.name(def.qualified));
        let of_tests = |def: &DefRef| self.entry(def.file).is_none_or(|e| is_for_tests(e.path.as_str()));
        places.retain(|place| place.file != class.file && !of_tests(place));
        places
    }

    /// Returns a member that another place of the class defines.
    pub(super) fn reopened_member(&self, class: DefRef, name: &str) -> Option<DefRef> {
        let (entry, def) = self.def(class).filter(|(_, def)| is_module(def))?;
        let qualified = entry.facts.name(def.qualified);
        let files = self.index.files_defining(name).iter().take(MANY).map(|&file| FileId(file));
        let found = files.filter_map(|file| {
            let other = self.entry(file).filter(|other| other.lang().semantics().reopens_types)?;
            if file != class.file && is_for_tests(other.path.as_str()) {
                return None;
            }
            let within = other.defs_named(name).filter(|(_, def)| other.qualifier(def) == qualified);
            Some(DefRef { file, def: pick_best_def(within, WantedKind::Any)? })
        });
        found.min_by_key(|def| self.entry(def.file).map(|entry| entry.path.as_str()))
    }

    /// Adds the bases that other places of the class name.
    pub(super) fn add_reopened_bases(&self, class: DefRef, bases: &mut Bases) {
        for place in self.reopening_places(class) {
            let Some(entry) = self.entry(place.file) else { continue };
            for r in entry.bases_of(place.def) {
                match self.resolve_base(place, entry, r) {
                    Some(base) if base != class => bases.known.push(base),
                    Some(_) => {}
                    None => bases.open |= !super::members::is_plain(entry, r),
                }
            }
        }
    }

    /// Resolves a call on `self` of a method that its class lacks: to a method of the test groups around it, or to a
    /// function of the file, which every object has.
    pub(super) fn object_function(&self, site: Site<'m>, r: &Ref, name: &str) -> Option<Resolution> {
        let facts = &site.entry.facts;
        let groups = std::iter::successors(site.owner, |&def| facts.def(def).parent);
        let mut in_group = false;
        for group in groups.filter(|&def| is_group(facts.def(def))) {
            in_group = true;
            let mut own = site.entry.defs_named(name).filter(|(_, def)| def.parent == Some(group));
            if let Some((def, _)) = own.find(|(_, def)| def.kind == DefKind::Method) {
                return Some(exact_resolution(site.file, def));
            }
        }
        let mut top = top_defs(site.entry, name);
        if let Some((def, _)) = top.find(|(_, def)| def.kind == DefKind::Function) {
            return Some(exact_resolution(site.file, def));
        }
        if let Some(def) = self.required_function(site, name) {
            return Some(Resolution::To(def.into(), Confidence::Import));
        }
        if !in_group {
            return None;
        }
        // Tests call methods of their framework; only a helper for tests is guessed.
        match self.by_name(site, r) {
            Resolution::To(Thing::Def(def), sure) => {
                let near = self.entry(def.file).is_some_and(|entry| is_for_tests(entry.path.as_str()));
                Some(if near { Resolution::To(Thing::Def(def), sure) } else { Resolution::Unresolved })
            }
            other => Some(other),
        }
    }
}

impl<'m> Resolver<'m> {
    /// Returns the top-level function of a name in a file that the site's file requires.
    pub(super) fn required_function(&self, site: Site<'m>, name: &str) -> Option<DefRef> {
        let files = self.index.files_defining(name).iter().take(MANY).map(|&file| FileId(file));
        let mut found = files.filter_map(|file| {
            let entry = self.entry(file).filter(|entry| entry.lang().semantics().functions_are_methods)?;
            let (def, _) = top_defs(entry, name).find(|(_, def)| def.kind == DefKind::Function)?;
            self.requires(site, file).then_some(DefRef { file, def })
        });
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }
}

fn exact_resolution(file: FileId, def: DefIdx) -> Resolution {
    Resolution::To(Thing::Def(DefRef { file, def }), Confidence::Exact)
}

/// Returns true if a definition is a class or module, and not a group of tests.
fn is_module(def: &Def) -> bool {
    (def.kind.is_type() || def.kind == DefKind::Module) && !def.flags.has(DefFlags::TEST)
}

fn is_group(def: &Def) -> bool {
    def.kind == DefKind::Module && def.flags.has(DefFlags::TEST)
}

fn is_for_tests(path: &str) -> bool {
    path.split('/').rev().skip(1).any(|part| TESTS.contains(&part))
        || path.ends_with("_test.rb")
        || path.ends_with("_spec.rb")
}

/// Converts a qualified name into its path by Ruby's convention: `ActiveModel.HTTPError` becomes
/// `active_model/http_error`.
fn snake_case_path(qualified: &str) -> String {
    let chars: Vec<char> = qualified.chars().collect();
    let mut out = String::with_capacity(qualified.len() + 8);
    for (i, &c) in chars.iter().enumerate() {
        if c == '.' {
            out.push('/');
            continue;
        }
        let before = i.checked_sub(1).map(|i| chars[i]);
        let lower_next = chars.get(i + 1).is_some_and(|next| next.is_lowercase());
        let starts = c.is_uppercase()
            && before.is_some_and(|b| b.is_lowercase() || b.is_numeric() || (b.is_uppercase() && lower_next));
        if starts {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_follow_names() {
        for (name, path) in
            [("A.B", "a/b"), ("ActiveModel.HTTPError", "active_model/http_error"), ("V8Two", "v8_two")]
        {
            assert_eq!(super::snake_case_path(name), path);
        }
    }
}
