//! The inputs with which fuzzing begins: the kept ones in `corpus/`, one folder for each target, and those that hob itself writes.
//!
//! What stands elsewhere in the repository is not kept twice: the samples of the map's own tests are pages of each language, and the
//! examples of `docs/answers.md` are data of each tool. Disk forms are written anew each time, so that they follow their versions.

use std::path::{Path, PathBuf};

use hob_base::{ContentHash, WsPath};
use hob_map::langs::TABLE;
use hob_map::{extract, persist};
use hob_proto::tools::TOOLS;
use hob_scip::{
    CompactBuilder, IndexHead, IndexTitle, IndexWriter, PlacedName, SourceDocument, SourceName, SourceSpan,
    SymbolPackage, SymbolRelation, local_symbol, symbol_text,
};
use serde_json::Value;

use crate::FuzzTarget;

/// A page of every language, with all that its grammar knows.
const SAMPLES: &str = include_str!("../../../daemon/map/tests/mutated/samples.txt");
/// The examples of answers, with their data as JSON.
const ANSWERS: &str = include_str!("../../../docs/answers.md");

/// Returns the folder with the kept inputs of all targets.
#[must_use]
pub fn corpus_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// Returns the inputs with which a target begins, the empty one first.
#[must_use]
pub fn first_inputs(target: &FuzzTarget) -> Vec<Vec<u8>> {
    let mut inputs = vec![Vec::new()];
    inputs.extend(written_inputs(target));
    inputs.extend(files_in(&corpus_folder().join(&target.name)));
    inputs
}

/// Writes the first inputs of a target into a folder, for a fuzzer that reads files.
///
/// # Errors
/// When the folder cannot be written to.
pub fn write_first_inputs(target: &FuzzTarget, folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let files = first_inputs(target).into_iter().enumerate();
    files
        .into_iter()
        .try_for_each(|(number, input)| std::fs::write(folder.join(format!("first-{number}")), input))
}

/// The samples: (ending, text).
fn samples() -> impl Iterator<Item = (&'static str, &'static str)> {
    SAMPLES.split("//- /sample.").skip(1).filter_map(|page| page.split_once('\n'))
}

fn written_inputs(target: &FuzzTarget) -> Vec<Vec<u8>> {
    if let Some(spec) = target.language().and_then(|lang| TABLE.iter().find(|spec| spec.lang == lang)) {
        let own = samples().filter(|(ending, _)| spec.extensions.contains(ending));
        return own.map(|(_, text)| text.as_bytes().to_vec()).collect();
    }
    match target.name.as_str() {
        "facts" => TABLE.iter().flat_map(facts_of_sample).collect(),
        "scip" => vec![written_index()],
        "scip-kept" => vec![kept_index()],
        "map" | "edit-symbol" => sample_pages(),
        "render" => data_of_answers(&[0]),
        "budget" => data_of_answers(&[1, 20, 0]),
        _ => Vec::new(),
    }
}

fn facts_of_sample(spec: &hob_map::langs::LangSpec) -> Option<Vec<u8>> {
    let (_, text) = samples().find(|(ending, _)| spec.extensions.contains(ending))?;
    Some(persist::encode(&extract(spec.lang, "sample", text.as_bytes())))
}

/// The beginning of each sample behind the byte of its language and the bytes that a symbol's edit begins with.
fn sample_pages() -> Vec<Vec<u8>> {
    let of = |(number, spec): (usize, &hob_map::langs::LangSpec)| {
        let (_, text) = samples().find(|(ending, _)| spec.extensions.contains(ending))?;
        let page: String = text.lines().take(40).map(|line| format!("{line}\n")).collect();
        Some([&[number as u8, 1, 1][..], b"x = 1\0", page.as_bytes()].concat())
    };
    TABLE.iter().enumerate().filter_map(of).collect()
}

/// The data of each documented answer, behind the byte of its tool and other bytes.
fn data_of_answers(bytes: &[u8]) -> Vec<Vec<u8>> {
    let sections = ANSWERS.split("\n## `").skip(1).filter_map(|section| section.split_once('`'));
    let of = |(tool, text): (&str, &str)| {
        let number = TOOLS.iter().position(|known| known.name == tool)?;
        let json = text.lines().find(|line| line.starts_with("{\"ok\":"))?;
        let data = serde_json::from_str::<Value>(json).ok()?.get("data")?.to_string();
        Some([&[number as u8], bytes, data.as_bytes()].concat())
    };
    sections.filter_map(of).collect()
}

fn sample_names() -> Vec<SourceName> {
    let of = |line: u32, symbol: String, is_definition: bool| SourceName {
        span: SourceSpan { line, col: 0, end_line: line, end_col: 1 },
        symbol,
        is_definition,
        is_import: false,
        lines: None,
    };
    let package = SymbolPackage { manager: "pip".into(), name: "p".into(), version: "1".into() };
    vec![of(0, symbol_text(&package, &[]), true), of(1, local_symbol(1), false)]
}

/// An index as an indexer writes it.
fn written_index() -> Vec<u8> {
    let head = IndexHead { tool: "t".into(), tool_version: "1".into(), project_root: "file:///p".into() };
    let document = SourceDocument {
        path: "a.py".into(),
        language: "python".into(),
        text: None,
        unit: hob_scip::ColumnUnit::Utf16,
        names: sample_names(),
        relations: Vec::new(),
    };
    let written = IndexWriter::begin(Vec::new(), &head).and_then(|mut writer| {
        writer.add_document(document, Vec::new())?;
        writer.finish()
    });
    written.unwrap_or_default()
}

/// The same as hob keeps it, without its seal: 32 bytes of checksum and 8 of the format's name.
fn kept_index() -> Vec<u8> {
    let mut builder = CompactBuilder::new(Vec::new());
    let placed = sample_names().into_iter().map(|name| PlacedName {
        line: name.span.line + 1,
        col: 1,
        end_line: name.span.line + 1,
        end_col: 2,
        symbol: name.symbol,
        is_definition: name.is_definition,
    });
    let placed: Vec<PlacedName> = placed.collect();
    let relation = SymbolRelation {
        from: placed[0].symbol.clone(),
        to: placed[1].symbol.clone(),
        is_definition: false,
        is_reference: true,
        is_implementation: true,
    };
    let path = WsPath::new("a.py").expect("a relative path");
    let added = builder.add_file(path.clone(), ContentHash::of(b""), &placed);
    added.expect("two names are few");
    builder.add_relations(&path, &[relation]);
    let mut bytes = builder.finish(&IndexTitle::default()).unwrap_or_default();
    bytes.truncate(bytes.len().saturating_sub(40));
    [&[0][..], &bytes].concat()
}

/// The contents of the files in a folder, in the order of their names; of a folder that is not there, none.
fn files_in(folder: &Path) -> Vec<Vec<u8>> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read(path).ok()).collect()
}
