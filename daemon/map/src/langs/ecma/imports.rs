//! Finds the module that a specifier names: relative paths, path aliases, packages of the workspace, packages
//! outside.

use hob_base::FileId;

use super::packages::{
    by_config, in_other_root, package_name, package_root, resolve_package_import, workspace,
};
use super::probe::probe_file;
use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::{folder_of, join};
use crate::langs::support::schemas::{self, GeneratedModule};

/// The import rules of TypeScript and of bundlers.
pub(super) struct EcmaImportRules;

/// Modules that come with Node.js; they are written with or without `node:`.
const BUILTIN: &[&str] = &[
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

impl ImportRules for EcmaImportRules {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        // Bundlers allow a query after the path; a specifier that begins with `#` belongs to the package itself.
        let module = module.split('?').next().unwrap_or(module);
        let path = project.path(from);
        if module.is_empty() {
            return ModuleTarget::Unknown;
        }
        if is_relative(module) {
            let named = join(folder_of(path), module);
            let found = named.and_then(|named| {
                probe_file(project, &named)
                    .or_else(|| in_other_root(project, path, &named))
                    .or_else(|| schema_behind(project, &named, true))
            });
            return found.map_or(ModuleTarget::Unknown, ModuleTarget::File);
        }
        if module.starts_with("node:") {
            return ModuleTarget::External(module.to_owned());
        }
        if let Some(file) = by_config(project, path, module).filter(|file| *file != from) {
            return ModuleTarget::File(file);
        }
        resolve_outside(project, path, module)
    }

    fn reads_facts(&self) -> bool {
        false
    }
}

fn resolve_outside(project: &dyn ImportProject, from: &str, module: &str) -> ModuleTarget {
    if module.starts_with('#') {
        return resolve_package_import(project, from, module)
            .map_or(ModuleTarget::Unknown, ModuleTarget::File);
    }
    if let Some(rooted) = module.strip_prefix('/') {
        return probe_file(project, rooted).map_or(ModuleTarget::Unknown, ModuleTarget::File);
    }
    let name = package_name(module);
    if BUILTIN.binary_search(&name).is_ok() {
        return ModuleTarget::External(format!("node:{name}"));
    }
    if let Some(alias) = ALIASES.iter().find(|alias| module.starts_with(*alias)) {
        let found = resolve_alias(project, from, alias, &module[alias.len()..]);
        return found.map_or(ModuleTarget::Unknown, ModuleTarget::File);
    }
    // `@/x` and `~/x` are aliases of some bundler; no package can be called that.
    if name.starts_with("@/") || name == "~" || name == "@" || module.contains(':') {
        return ModuleTarget::Unknown;
    }
    workspace(project, module)
        .or_else(|| schema_behind(project, module, false).map(ModuleTarget::File))
        .unwrap_or_else(|| ModuleTarget::External(name.to_owned()))
}

/// Returns the schema that a generated module was made from, if the module itself is not in the workspace.
fn schema_behind(project: &dyn ImportProject, module: &str, is_own: bool) -> Option<FileId> {
    let endings = [".js", ".ts", ".mjs", ".cjs"];
    let path = endings.iter().find_map(|ending| module.strip_suffix(ending)).unwrap_or(module);
    GeneratedModule { path, endings: schemas::ECMA_ENDINGS, is_own }.schema(project)
}

/// Aliases that bundlers and frameworks have by custom, without a configuration that says so here; no package can have
/// such a name.
const ALIASES: [&str; 4] = ["@/", "~/", "~~/", "$lib/"];

/// Returns the file that an alias means: below the sources of the nearest package.
fn resolve_alias(project: &dyn ImportProject, from: &str, alias: &str, rest: &str) -> Option<FileId> {
    let root = package_root(project, from)?;
    let sources: &[&str] = match alias {
        "$lib/" => &["src/lib"],
        "~~/" => &[""],
        _ => &["src", "app", ""],
    };
    let below = |source: &&str| probe_file(project, &join(&root, &format!("{source}/{rest}"))?);
    sources.iter().find_map(below).filter(|file| project.path(*file) != from)
}

fn is_relative(module: &str) -> bool {
    matches!(module, "." | "..") || module.starts_with("./") || module.starts_with("../")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::langs::support::project::fake::Fake;

    fn check_targets(files: &[(&str, &str)], from: &str, expected: &[(&str, &str)]) {
        let project = Fake::new(files);
        for (module, target) in expected {
            assert_eq!(project.resolve(&EcmaImportRules, from, module), *target, "{module} from {from}");
        }
    }

    #[test]
    fn the_table_is_sorted() {
        assert!(BUILTIN.is_sorted());
    }

    #[test]
    fn relative_paths_take_extensions_and_index_files() {
        check_targets(
            &[
                ("src/a.ts", ""),
                ("src/b.tsx", ""),
                ("src/c.d.ts", ""),
                ("src/d.service.ts", ""),
                ("src/e/index.js", ""),
                ("src/both.js", ""),
                ("src/both.ts", ""),
                ("src/m.mjs", ""),
                ("top.jsx", ""),
                ("index.ts", ""),
            ],
            "src/a.ts",
            &[
                ("./b", "src/b.tsx"),
                ("./b.js", "src/b.tsx"),
                ("./c", "src/c.d.ts"),
                ("./d.service", "src/d.service.ts"),
                ("./e", "src/e/index.js"),
                ("./e/", "src/e/index.js"),
                ("./both.js", "src/both.ts"),
                ("./m.mjs", "src/m.mjs"),
                ("../top", "top.jsx"),
                ("..", "index.ts"),
                ("./b?raw", "src/b.tsx"),
                ("./missing", "unknown"),
                ("./style.css", "unknown"),
                ("../../out", "unknown"),
            ],
        );
    }

    #[test]
    fn path_aliases_of_the_nearest_configuration() {
        let base = r#"{ "compilerOptions": { "baseUrl": ".", "paths": { "~lib/*": ["lib/*"] } } }"#;
        let app = r#"{ "compilerOptions": { "paths": { "@/*": ["./src/*"], "@/x": ["./special.ts"], "*": ["./any/*"] } } }"#;
        check_targets(
            &[
                ("config/tsconfig.json", base),
                ("config/lib/l.ts", ""),
                ("config/plain.ts", ""),
                ("app/tsconfig.json", app),
                ("app/src/x.ts", ""),
                ("app/src/main.ts", ""),
                ("app/special.ts", ""),
                ("app/any/thing.ts", ""),
                ("web/tsconfig.json", r#"{ "extends": "../config/tsconfig" }"#),
                ("web/w.ts", ""),
            ],
            "app/src/main.ts",
            &[
                ("@/x", "app/special.ts"),
                ("@/main", "unknown"),
                ("thing", "app/any/thing.ts"),
                ("react", "ext:react"),
            ],
        );
        check_targets(
            &[
                ("config/tsconfig.json", base),
                ("config/lib/l.ts", ""),
                ("config/plain.ts", ""),
                ("web/tsconfig.json", r#"{ "extends": "../config/tsconfig" }"#),
                ("web/w.ts", ""),
            ],
            "web/w.ts",
            &[("~lib/l", "config/lib/l.ts"), ("plain", "config/plain.ts"), ("~lib/none", "ext:~lib")],
        );
    }

    #[test]
    fn folders_that_a_configuration_makes_one_see_each_other() {
        check_targets(
            &[
                ("app/tsconfig.json", r#"{ "compilerOptions": { "rootDirs": ["src", "./gen"] } }"#),
                ("app/src/main.ts", ""),
                ("app/src/both.ts", ""),
                ("app/gen/both.ts", ""),
                ("app/gen/deep/made.ts", ""),
                ("app/other/far.ts", ""),
            ],
            "app/src/main.ts",
            &[("./deep/made", "app/gen/deep/made.ts"), ("./both", "app/src/both.ts"), ("./far", "unknown")],
        );
    }

    #[test]
    fn configurations_refer_to_parts_and_extend_packages() {
        let app = r#"{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }"#;
        let shared = r#"{ "compilerOptions": { "baseUrl": "..", "paths": { "$lib/*": ["lib/*"] } } }"#;
        check_targets(
            &[
                (
                    "web/tsconfig.json",
                    r#"{ "files": [], "references": [{ "path": "./tsconfig.app.json" }, {}] }"#,
                ),
                ("web/tsconfig.app.json", app),
                ("web/src/main.ts", ""),
                ("web/src/App.vue", ""),
                ("web/src/Old.vue", ""),
            ],
            "web/src/main.ts",
            &[("@/App.vue", "web/src/App.vue"), ("./Old", "web/src/Old.vue"), ("@/none", "unknown")],
        );
        check_targets(
            &[
                (
                    "tsconfig.base.json",
                    r#"{ "compilerOptions": { "paths": { "@org/ui": ["libs/ui/src/index.ts"] } } }"#,
                ),
                ("libs/ui/src/index.ts", ""),
                ("apps/a/tsconfig.json", r#"{ "extends": "../../tsconfig.base.json" }"#),
                ("apps/a/main.ts", ""),
            ],
            "apps/a/main.ts",
            &[("@org/ui", "libs/ui/src/index.ts")],
        );
        check_targets(
            &[
                ("config/package.json", r#"{ "name": "@repo/config" }"#),
                ("config/tsconfig.base.json", shared),
                ("lib/x.ts", ""),
                ("app/tsconfig.json", r#"{ "extends": ["@repo/config/tsconfig.base.json"] }"#),
                ("app/y.ts", ""),
            ],
            "app/y.ts",
            &[("$lib/x", "lib/x.ts")],
        );
    }

    #[test]
    fn customary_aliases_start_at_the_sources_of_the_package() {
        check_targets(
            &[
                ("web/package.json", "{}"),
                ("web/src/a.ts", ""),
                ("web/src/lib/api.js", ""),
                ("web/app/b.ts", ""),
                ("other/src/c.ts", ""),
            ],
            "web/src/a.ts",
            &[
                ("@/lib/api", "web/src/lib/api.js"),
                ("$lib/api", "web/src/lib/api.js"),
                ("~/b", "web/app/b.ts"),
                ("~~/app/b", "web/app/b.ts"),
                ("@/c", "unknown"),
                ("@/a", "unknown"),
            ],
        );
    }

    #[test]
    fn packages_of_the_workspace_lead_to_their_sources() {
        check_targets(
            &[
                ("packages/a/package.json", r#"{ "name": "@w/a", "main": "dist/index.js" }"#),
                ("packages/a/src/index.ts", ""),
                ("packages/a/src/util/x.ts", ""),
                (
                    "packages/b/package.json",
                    r##"{ "name": "b", "exports": { ".": { "import": "./main.mjs" }, "./f/*": "./src/f/*.ts" },
                        "imports": { "#in/*": "./src/*" } }"##,
                ),
                ("packages/b/main.mjs", ""),
                ("packages/b/src/f/g.ts", ""),
                ("packages/c/package.json", r#"{ "name": "c" }"#),
                ("app.ts", ""),
            ],
            "packages/b/main.mjs",
            &[
                ("@w/a", "packages/a/src/index.ts"),
                ("@w/a/util/x", "packages/a/src/util/x.ts"),
                ("b", "packages/b/main.mjs"),
                ("b/f/g", "packages/b/src/f/g.ts"),
                ("#in/f/g", "packages/b/src/f/g.ts"),
                ("c", "unknown"),
            ],
        );
    }

    #[test]
    fn everything_else_is_outside() {
        check_targets(
            &[("src/lodash.ts", ""), ("src/a.ts", "")],
            "src/a.ts",
            &[
                ("lodash", "ext:lodash"),
                ("lodash/fp", "ext:lodash"),
                ("@scope/pkg/deep/x", "ext:@scope/pkg"),
                ("node:fs/promises", "ext:node:fs/promises"),
                ("fs/promises", "ext:node:fs"),
                ("@/components", "unknown"),
                ("https://esm.sh/x", "unknown"),
            ],
        );
    }
}
