//! Reads HCL, as Terraform, OpenTofu and similar tools write it: blocks by their addresses, and the addresses that
//! expressions name.
//!
//! Conventions that the graph relies on:
//! - A block of the top level is a definition, named by its address: `aws_instance.web`, `data.aws_ami.ubuntu`,
//!   `var.region`, `local.tags`, `module.vpc`, `output.id`, `provider.aws.west`. A block of another tool goes by its
//!   type and its labels (`dependency.vpc`, `job.docs`). The address is one name with dots in it, and no path.
//! - All files of a folder are one module and see each other; no address means anything outside its folder.
//! - `module` imports the folder of its `source` as `module.NAME`. Its arguments use the variables of that folder, and
//!   expressions that read from it use the outputs.
//! - A value that a file gives at its top level (`.tfvars`) uses the variable of that name.

mod blocks;
mod grammar;
mod imports;
mod refs;
mod rules;
#[cfg(test)]
mod tests;

use super::support::define_grammar;
use super::{CommentStyle, Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, Reach, SourceRules};
use crate::facts::FactsBuilder;
use crate::syntax::Tree;
use crate::walk::walk;

/// HCL's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Hcl,
    id: "tf",
    name: "Terraform and HCL",
    extensions: &["tf", "tfvars", "hcl", "tofu", "nomad"],
    file_names: &[],
    interpreters: &[],
    reader: LanguageReader::Tree { grammar: language, extract },
    imports: &imports::HclImportRules,
    bare_members: false,
    package_scope: PackageScope::Folder,
    project_files: &[],
    semantics: NameSemantics { reach: Reach::Folder, ..NameSemantics::PLAIN },
    source: SourceRules { comments: CommentStyle::Hash, ..SourceRules::PLAIN },
};

define_grammar!(language, "hcl", tree_sitter_hcl::LANGUAGE);

fn extract(tree: &Tree, source: &[u8], facts: FactsBuilder) -> FactsBuilder {
    walk(tree, source, facts, &mut rules::HclRules::new())
}
