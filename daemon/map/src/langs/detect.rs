//! Tells the language of a file from its name and first bytes, and reads project files.
//!
//! The rows list endings, whole names, interpreters and project files. Only two languages need more: a `.h` may be C or C++, and
//! PHP stands in files with any ending.

use super::lang::Lang;
use super::rules::ProjectFile;
use super::{TABLE, cpp, php};
use crate::facts::{FactsBuilder, FileFacts};

/// Returns the language of a file, by its name, and by its first bytes where the name has no known extension or ends in
/// `.h`. `None` also where this build has no grammar for the language.
#[must_use]
pub fn language_of(file_name: &str, head: &[u8]) -> Option<Lang> {
    known_language(file_name, head).filter(|lang| lang.spec().is_none_or(|spec| spec.reader.is_built()))
}

fn known_language(file_name: &str, head: &[u8]) -> Option<Lang> {
    if project_file(file_name).is_some() {
        return Some(Lang::Manifest);
    }
    let extension = file_name.rsplit_once('.').map(|(_, ext)| ext.to_ascii_lowercase());
    match extension {
        Some(ext) if ext == "h" => Some(if cpp::looks_like_cpp(head) { Lang::Cpp } else { Lang::C }),
        Some(ext) => {
            let known = TABLE.iter().find(|s| s.extensions.contains(&ext.as_str())).map(|s| s.lang);
            known.or_else(|| php::looks_like_php(head).then_some(Lang::Php))
        }
        None => by_file_name(file_name).or_else(|| by_interpreter(head)),
    }
}

/// Returns the language whose row lists the whole name of a file.
fn by_file_name(file_name: &str) -> Option<Lang> {
    TABLE.iter().find(|spec| spec.file_names.contains(&file_name)).map(|spec| spec.lang)
}

fn by_interpreter(head: &[u8]) -> Option<Lang> {
    let line = head.strip_prefix(b"#!")?.split(|&b| b == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let program =
        line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word)).find(|w| *w != "env")?;
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    TABLE.iter().find(|spec| spec.interpreters.contains(&program)).map(|spec| spec.lang)
}

/// Returns the kind of project file that a file name stands for.
fn project_file(file_name: &str) -> Option<&'static ProjectFile> {
    TABLE.iter().flat_map(|spec| spec.project_files).find(|kind| (kind.is_named)(file_name))
}

/// Reads the facts of a project file whose kind its name tells; a file that cannot be read has none.
#[must_use]
pub fn manifest_facts(file_name: &str, source: &[u8]) -> FileFacts {
    let mut facts = FactsBuilder::new(Lang::Manifest);
    if let Some(kind) = project_file(file_name) {
        (kind.read)(&String::from_utf8_lossy(source), &mut facts);
    }
    facts.finish()
}
