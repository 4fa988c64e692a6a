//! Names the map's definitions in SCIP's notation: the package, the folders and the file, the definitions around, the definition.

use hob_map::Map;
use hob_map::facts::DefKind;
use hob_map::graph::DefRef;
use hob_scip::{SymbolStep, SymbolSuffix, symbol_text};

use super::packages::OwnPackages;

/// Returns the symbol of a definition; `None` if the map does not have it any more.
pub(super) fn symbol_of(map: &Map, packages: &OwnPackages, def: DefRef) -> Option<String> {
    let (path, facts) = map.file(def.file)?;
    let mut steps = steps_of_path(path.as_str());
    for around in map.ancestors_of(def).into_iter().chain([def]) {
        let found = facts.defs.get(around.def.index())?;
        let suffix = suffix_of(found.kind);
        let is_repeated = suffix == SymbolSuffix::Method && found.ordinal > 1;
        let disambiguator = if is_repeated { format!("+{}", found.ordinal - 1) } else { String::new() };
        // An empty name would be none in the notation.
        let name = Some(facts.name(found.name)).filter(|name| !name.is_empty()).unwrap_or("_");
        steps.push(SymbolStep { name: name.to_owned(), suffix, disambiguator });
    }
    Some(symbol_text(&packages.of_file(path), &steps))
}

/// Returns the symbol of a file itself.
pub(super) fn symbol_of_file(packages: &OwnPackages, path: &hob_base::WsPath) -> String {
    symbol_text(&packages.of_file(path), &steps_of_path(path.as_str()))
}

fn steps_of_path(path: &str) -> Vec<SymbolStep> {
    let step = |name: &str| SymbolStep {
        name: name.to_owned(),
        suffix: SymbolSuffix::Namespace,
        disambiguator: String::new(),
    };
    path.split('/').map(step).collect()
}

fn suffix_of(kind: DefKind) -> SymbolSuffix {
    match kind {
        DefKind::Module => SymbolSuffix::Namespace,
        DefKind::Function | DefKind::Method => SymbolSuffix::Method,
        DefKind::Macro => SymbolSuffix::Macro,
        DefKind::TypeAlias => SymbolSuffix::Type,
        kind if kind.is_type() => SymbolSuffix::Type,
        _ => SymbolSuffix::Term,
    }
}
