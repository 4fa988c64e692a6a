//! Writes the context for the agent: as many short sentences as 60 tokens hold, the most useful first.

use hob_proto::envelope::chars_of_tokens;
use hob_proto::tools::context::{ContextResult, HitSymbol, NameContext, SymbolUse};

/// Most tokens of the whole text.
const MOST_TOKENS: u32 = 60;

/// Most definitions around hits that are named.
const MOST_AROUND: usize = 4;

/// Number of callers from which the text suggests a call that lists them.
const MANY_CALLERS: usize = 4;

/// Writes the context; `None` if there is nothing to tell.
pub(super) fn context_text(result: &ContextResult) -> Option<String> {
    let mut sentences: Vec<String> = result.names.iter().map(name_sentence).collect();
    sentences.extend(around_sentences(result));
    sentences.extend(read_sentence(&result.read));
    let all = result.names.iter().flat_map(|name| &name.shown).chain(&result.read);
    if all.filter_map(|symbol| symbol.callers).any(|callers| callers >= MANY_CALLERS) {
        sentences.push("map_neighbors lists the callers.".to_owned());
    }
    fit_sentences(sentences)
}

fn fit_sentences(sentences: Vec<String>) -> Option<String> {
    let most = chars_of_tokens(MOST_TOKENS);
    let mut text = "hob:".to_owned();
    for sentence in sentences {
        let sentence = sentence.replace(char::is_control, " ");
        if text.chars().count() + 1 + sentence.chars().count() <= most {
            text.push(' ');
            text.push_str(&sentence);
        }
    }
    (text.len() > "hob:".len()).then_some(text)
}

fn name_sentence(name: &NameContext) -> String {
    let places: Vec<String> = name.shown.iter().map(|symbol| place(symbol, &name.name)).collect();
    match name.definitions {
        1 => format!("`{}` is {}.", name.name, places.concat()),
        many => format!(
            "`{}` has {many} definitions: {}{}.",
            name.name,
            places.join(", "),
            more(many, places.len())
        ),
    }
}

fn more(all: usize, shown: usize) -> &'static str {
    if all > shown { " and more" } else { "" }
}

/// Writes a definition with its place and use: `SessionStore.refresh (src/store.py:41; 12 callers)`.
fn place(symbol: &SymbolUse, searched: &str) -> String {
    let uses = use_text(symbol).map_or_else(String::new, |uses| format!("; {uses}"));
    match symbol.symbol == searched {
        true => format!("at {}:{}{uses}", symbol.file, symbol.line),
        false => format!("{} ({}:{}{uses})", symbol.symbol, symbol.file, symbol.line),
    }
}

/// Writes the use of a definition; `None` where it is not known, or there is none.
fn use_text(symbol: &SymbolUse) -> Option<String> {
    let counted = |count: usize, one: &str| match count {
        1 => format!("1 {one}"),
        many => format!("{many} {one}s"),
    };
    match (symbol.callers, symbol.files) {
        (Some(callers @ 1..), Some(files @ 2..)) => {
            Some(format!("{} in {files} files", counted(callers, "caller")))
        }
        (Some(callers @ 1..), _) => Some(counted(callers, "caller")),
        (_, Some(files @ 1..)) => Some(format!("used in {}", counted(files, "other file"))),
        _ => None,
    }
}

/// Writes the definitions around the hits, each once: all in one sentence, or as many as may fit beside the text
/// before.
fn around_sentences(result: &ContextResult) -> Option<String> {
    let mut around: Vec<&HitSymbol> = Vec::new();
    let defined: Vec<&SymbolUse> = result.names.iter().flat_map(|name| &name.shown).collect();
    // The definition is named already.
    let is_definition =
        |hit: &&HitSymbol| defined.iter().any(|symbol| symbol.file == hit.file && symbol.line == hit.line);
    for hit in result.hits.iter().filter(|hit| !is_definition(hit)) {
        if !around.iter().any(|other| other.symbol == hit.symbol && other.file == hit.file) {
            around.push(hit);
        }
    }
    let places = around
        .iter()
        .take(MOST_AROUND)
        .map(|hit| format!("{} ({}:{})", hit.symbol, file_name(&hit.file), hit.line));
    let places: Vec<String> = places.collect();
    (!places.is_empty())
        .then(|| format!("The hits are in {}{}.", places.join(", "), more(around.len(), places.len())))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Writes the definitions that the agent read, if others use them.
fn read_sentence(read: &[SymbolUse]) -> Option<String> {
    let used = read.iter().filter(|symbol| symbol.files.is_some_and(|files| files > 0));
    let places = used.filter_map(|symbol| Some(format!("{} ({})", symbol.symbol, use_text(symbol)?)));
    let places: Vec<String> = places.collect();
    (!places.is_empty()).then(|| format!("Used elsewhere: {}.", places.join(", ")))
}

#[cfg(test)]
mod tests {
    use hob_proto::envelope::tokens_of;

    use super::*;

    fn symbol(symbol: &str, callers: Option<usize>, files: Option<usize>) -> SymbolUse {
        SymbolUse { symbol: symbol.into(), file: "src/store.py".into(), line: 41, callers, files }
    }

    fn named(name: &str, definitions: usize, shown: Vec<SymbolUse>) -> NameContext {
        NameContext { name: name.into(), definitions, shown }
    }

    fn hit(file: &str, line: u32, symbol: &str) -> HitSymbol {
        HitSymbol { file: file.into(), line, symbol: symbol.into() }
    }

    #[track_caller]
    fn check(result: &ContextResult, expected: Option<&str>) {
        let text = context_text(result);
        assert_eq!(text.as_deref(), expected);
        assert!(text.is_none_or(|text| tokens_of(&text) <= MOST_TOKENS));
    }

    #[test]
    fn the_definition_the_callers_and_the_hits() {
        let result = ContextResult {
            names: vec![named("refresh", 1, vec![symbol("SessionStore.refresh", Some(12), Some(5))])],
            hits: vec![
                hit("src/auth.py", 10, "login"),
                hit("src/auth.py", 12, "login"),
                hit("src/store.py", 41, "SessionStore"),
                hit("b.py", 88, "Session.close"),
            ],
            read: Vec::new(),
        };
        let text = "hob: `refresh` is SessionStore.refresh (src/store.py:41; 12 callers in 5 files). \
                    The hits are in login (auth.py:10), Session.close (b.py:88). map_neighbors lists the callers.";
        check(&result, Some(text));
    }

    #[test]
    fn several_definitions_and_readings() {
        let shown = vec![symbol("A.get", None, None), symbol("B.get", None, None)];
        let result = ContextResult { names: vec![named("get", 14, shown)], ..ContextResult::default() };
        let text =
            "hob: `get` has 14 definitions: A.get (src/store.py:41), B.get (src/store.py:41) and more.";
        check(&result, Some(text));
        let read = vec![
            symbol("open_store", Some(1), Some(1)),
            symbol("Store", None, Some(3)),
            symbol("x", Some(2), Some(0)),
        ];
        let result = ContextResult { read, ..ContextResult::default() };
        check(&result, Some("hob: Used elsewhere: open_store (1 caller), Store (used in 3 other files)."));
    }

    #[test]
    fn nothing_known_is_nothing_said_and_much_is_cut() {
        check(&ContextResult::default(), None);
        check(&ContextResult { read: vec![symbol("x", None, None)], ..ContextResult::default() }, None);
        let long = "n".repeat(150);
        let hits = (0..9).map(|nth| hit("a.py", nth, &format!("{long}{nth}"))).collect();
        let names = vec![named("refresh", 1, vec![symbol("refresh", Some(0), Some(0))])];
        let result = ContextResult { names, hits, read: Vec::new() };
        check(&result, Some("hob: `refresh` is at src/store.py:41."));
        let names = vec![
            named(&long, 1, vec![symbol(&long, None, None)]),
            named(&long, 1, vec![symbol(&long, None, None)]),
        ];
        check(
            &ContextResult { names, ..ContextResult::default() },
            Some(&format!("hob: `{long}` is at src/store.py:41.")),
        );
    }
}
