//! Reads SQL of any dialect: tables with their columns, views, routines, triggers, indexes, types, and the statements
//! that use them.
//!
//! There is no grammar, because dialects differ too much for one: `tokens` reads what all have in common, `statements`
//! finds the ends of statements, `create` reads their definitions, and `uses` the names that they use. They pass over
//! all that they do not know.
//!
//! Conventions that the graph relies on:
//! - A name with a schema is one name with a dot in it (`sales.orders`); the default schemas `public` and `dbo` are
//!   left out. Names keep their spelling. Within a file case does not count, and between files it does.
//! - All files see each other. A name that several files define, as migrations do, means one of them, and nothing tells
//!   which.
//! - A column is a field of its table; so is one that `ALTER TABLE` adds, in any file.
//! - A column is used only where its table is certain: behind the table's name or alias, or in a list that belongs to a
//!   table.

mod builtins;
mod columns;
mod create;
mod imports;
mod names;
mod places;
mod record;
mod statements;
mod tables;
#[cfg(test)]
mod tests;
mod tokens;
mod uses;
mod words;

use super::{CommentStyle, Lang, LangSpec, LanguageReader, NameSemantics, PackageScope, SourceRules};
use crate::facts::FactsBuilder;
use crate::parse::Patience;
use record::SqlRecord;
use statements::Statements;

/// SQL's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Sql,
    id: "sql",
    name: "SQL",
    extensions: &["sql", "ddl", "psql", "pgsql", "plsql", "tsql"],
    file_names: &[],
    interpreters: &[],
    reader: LanguageReader::Own { read, is_built: || true },
    imports: &imports::OneProject,
    bare_members: false,
    package_scope: PackageScope::Module,
    project_files: &[],
    semantics: NameSemantics {
        builtins: builtins::BUILTINS,
        never_renames: true,
        objects_hide_members: true,
        exact_paths: true,
        ..NameSemantics::PLAIN
    },
    source: SourceRules { comments: CommentStyle::Dashes, ..SourceRules::PLAIN },
};

fn read(source: &[u8], facts: FactsBuilder, patience: Patience<'_>) -> FactsBuilder {
    let mut record = SqlRecord::new(source, facts);
    let mut statements = Statements::new(source);
    while let Some(statement) = statements.next_statement().filter(|_| patience()) {
        let defined = create::define(&statement, &mut record);
        uses::record_uses(&statement, &defined, &mut record);
    }
    record.finish()
}
