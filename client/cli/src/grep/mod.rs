//! Defines `hob grep`: ripgrep's command line on hob's index.
//!
//! The daemon finds the lines (`hob_grep`), page by page; this program prints them as ripgrep does, however many there
//! are. An option of ripgrep has its meaning here or is refused with an alternative: an alias that sometimes differs
//! silently would be worse than none.

mod args;
mod elsewhere;
mod json;
mod plain;
mod rows;

use std::io::{self, BufWriter, IsTerminal as _, StdoutLock};
use std::path::{Path, PathBuf};

use hob_proto::ToolError;
use hob_proto::tools::grep::{GrepFile, GrepResult};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::ask::{Asker, CliQuestion};
use super::term;
use super::visible::{Form, Visible};
use super::{CommandFailure, CommandOutcome, Common};
pub(crate) use args::Grep;
use args::{Sort, When};
use json::Messages;
use plain::{MatchStyle, Plain};

/// A place to search, with the user's spelling of it.
struct Operand {
    written: String,
    place: PathBuf,
}

/// An answer of the daemon's.
#[derive(Deserialize)]
struct GrepAnswerPage {
    data: Option<GrepResult>,
    error: Option<ToolError>,
    #[serde(default)]
    truncated: bool,
    #[serde(default)]
    warnings: Vec<String>,
}

/// The part of the results that is printed for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Lines,
    Json,
    Count,
    CountMatches,
    Paths,
    Nothing,
}

type Out = Visible<BufWriter<StdoutLock<'static>>>;

/// The printer of the results, by format.
enum Printer {
    Plain(Plain<Out>),
    Json(Messages<Out>),
}

impl Grep {
    pub(super) async fn run(self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        self.refuse_unsupported(common)?;
        let (patterns, operands) = self.patterns_and_places(common)?;
        let mode = self.mode(common);
        if self.max_count == Some(0) {
            return Ok(CommandOutcome::NothingFound);
        }
        let run = GrepRun {
            asker: Asker::new(common)?,
            args: self.search_args(mode, &patterns, &common.project_folder()?)?,
            one: operands.len() == 1,
            grep: self,
            mode,
            printer: None,
            matched: false,
            failed: false,
        };
        match run.run_all(&operands, common).await {
            // A reader that closed the pipe has read enough.
            Err(CommandFailure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                Ok(CommandOutcome::Done)
            }
            ended => ended,
        }
    }

    /// Refuses options that hob does not support.
    fn refuse_unsupported(&self, common: &Common) -> Result<(), CommandFailure> {
        let no = |what: &str, instead: &str| Err(CommandFailure::Usage(format!("{what}: {instead}")));
        if let Some(option) = self.elsewhere.used {
            return no(&format!("--{option} is not for `hob grep`"), "use rg");
        }
        let summary = self.count || self.count_matches || self.files_with_matches;
        if common.json && (summary || self.quiet || self.only_matching) {
            return no("--json goes with none of -c, --count-matches, -l, -o and -q here", "use rg");
        }
        let config = std::env::var_os("RIPGREP_CONFIG_PATH").filter(|path| !path.is_empty());
        if config.is_some() && !self.no_config {
            term::print_to_stderr(
                "hob grep: RIPGREP_CONFIG_PATH is set, but its file is not read (--no-config says it need not)",
            );
        }
        debug_assert!(self.sort == Sort::Path);
        Ok(())
    }

    /// Returns the patterns, and the places to search.
    fn patterns_and_places(&self, common: &Common) -> Result<(Vec<String>, Vec<Operand>), CommandFailure> {
        let mut patterns = self.regexp.clone();
        for file in &self.file {
            if file.as_os_str() == "-" {
                return Err(CommandFailure::Usage(
                    "-f - reads standard input, which is not for `hob grep`: use rg".into(),
                ));
            }
            let text = std::fs::read_to_string(common.project_folder()?.join(file))
                .map_err(|error| CommandFailure::Usage(format!("{}: {error}", file.display())))?;
            patterns.extend(text.lines().map(str::to_owned));
        }
        let mut words = self.words.iter();
        if self.regexp.is_empty() && self.file.is_empty() {
            let Some(pattern) = words.next() else {
                return Err(CommandFailure::Usage("a PATTERN is needed".to_owned()));
            };
            let pattern = pattern.to_str().ok_or_else(|| {
                CommandFailure::Usage(
                    "the pattern is not UTF-8: write the bytes as (?-u:\\xFF), or use rg".to_owned(),
                )
            })?;
            patterns.push(pattern.to_owned());
        }
        let base = common.project_folder()?;
        let mut operands = Vec::new();
        for word in words {
            let written = word.to_string_lossy().into_owned();
            if written == "-" {
                return Err(CommandFailure::Usage("standard input is not searched here: use rg".to_owned()));
            }
            operands.push(Operand { place: base.join(word), written });
        }
        if operands.is_empty() {
            if is_input_given() {
                let words = "no PATH is given and standard input is no terminal: ripgrep would search standard input, hob \
                             cannot. Name a path (`hob grep PATTERN ./`), or use rg";
                return Err(CommandFailure::Usage(words.to_owned()));
            }
            operands.push(Operand { place: base, written: String::new() });
        }
        Ok((patterns, operands))
    }

    fn mode(&self, common: &Common) -> Mode {
        match () {
            () if self.quiet => Mode::Nothing,
            () if common.json => Mode::Json,
            () if self.files_with_matches => Mode::Paths,
            () if self.count_matches || (self.count && self.only_matching) => Mode::CountMatches,
            () if self.count => Mode::Count,
            () => Mode::Lines,
        }
    }

    fn search_args(
        &self,
        mode: Mode,
        patterns: &[String],
        base: &Path,
    ) -> Result<Map<String, Value>, CommandFailure> {
        let look = self.line_look(false);
        let matches = mode == Mode::Json || look.colour || look.column || look.only_matching;
        let keep = match mode {
            Mode::Paths | Mode::Nothing => "paths",
            Mode::Count | Mode::CountMatches => "counts",
            _ if matches => "matches",
            _ => "lines",
        };
        let case = match () {
            () if self.ignore_case => "insensitive",
            () if self.smart_case => "smart",
            () => "sensitive",
        };
        let (before, after) = self.context_lines();
        let types = self.file_type.iter().cloned().chain(self.type_not.iter().map(|name| format!("!{name}")));
        let mut args = json!({
            "patterns": patterns,
            "fixed": self.fixed_strings,
            "case": case,
            "word": self.word_regexp,
            "line": self.line_regexp,
            "keep": keep,
            "before": before,
            "after": after,
        });
        let mut add = |name: &str, value: Value| args[name] = value;
        if let Some(most) = self.max_count {
            add("max_count", most.min(u64::from(u32::MAX)).into());
        }
        if !self.glob.is_empty() {
            add("globs", self.glob.clone().into());
            add("globs_from", text_of(base)?.into());
        }
        let types: Vec<String> = types.collect();
        if !types.is_empty() {
            add("types", types.into());
        }
        match args {
            Value::Object(args) => Ok(args),
            _ => Ok(Map::new()),
        }
    }

    fn context_lines(&self) -> (usize, usize) {
        let both = self.context.unwrap_or(0);
        (self.before_context.unwrap_or(both), self.after_context.unwrap_or(both))
    }

    /// Returns the style in which lines are printed; `one_file` matters if the user named only a single file.
    fn line_look(&self, one_file: bool) -> MatchStyle {
        let terminal = io::stdout().is_terminal();
        let colour = match self.color {
            When::Always => true,
            When::Never => false,
            When::Auto => self.pretty || term::Style::of_stdout().colour,
        };
        let or_else = |yes: bool, no: bool, otherwise: bool| yes || (!no && otherwise);
        let column = self.column;
        MatchStyle {
            colour,
            paths: or_else(self.with_filename, self.no_filename, !one_file),
            heading: or_else(self.heading, self.no_heading, terminal || self.pretty),
            // Unlike ripgrep, in a pipe too: a reader of a match there wants its place.
            lines: or_else(self.line_number, self.no_line_number, true),
            column,
            only_matching: self.only_matching,
            null: self.null,
            context: self.context_lines() != (0, 0),
            names_on_one_line: terminal,
        }
    }
}

/// A search under way.
struct GrepRun {
    grep: Grep,
    asker: Asker,
    args: Map<String, Value>,
    mode: Mode,
    /// True if the user named a single place.
    one: bool,
    printer: Option<Printer>,
    matched: bool,
    failed: bool,
}

impl GrepRun {
    async fn run_all(
        mut self,
        operands: &[Operand],
        common: &Common,
    ) -> Result<CommandOutcome, CommandFailure> {
        for operand in operands {
            if let Err(error) = std::fs::metadata(&operand.place) {
                self.report_failure(&format!("{}: {error}", operand.written));
                continue;
            }
            self.search_operand(operand, common).await?;
            if self.matched && self.mode == Mode::Nothing {
                return Ok(CommandOutcome::Done);
            }
        }
        match &mut self.printer {
            Some(Printer::Plain(plain)) => plain.flush()?,
            Some(Printer::Json(messages)) => {
                messages.summary()?;
                messages.flush()?;
            }
            None => {}
        }
        Ok(match (self.failed, self.matched) {
            (true, _) => CommandOutcome::Failed,
            (false, true) => CommandOutcome::Done,
            (false, false) => CommandOutcome::NothingFound,
        })
    }

    async fn search_operand(&mut self, operand: &Operand, common: &Common) -> Result<(), CommandFailure> {
        let mut args = self.args.clone();
        args.insert("place".to_owned(), text_of(&operand.place)?.into());
        loop {
            let question = CliQuestion::new("hob_grep", args.clone(), common)?;
            let page: GrepAnswerPage = serde_json::from_str(&self.asker.ask(&question).await)
                .map_err(|error| CommandFailure::Daemon(format!("the answer cannot be read: {error}")))?;
            page.warnings.iter().for_each(|warning| self.print_warning(warning));
            if page.truncated {
                return Err(CommandFailure::Daemon("a page came cut: this is a bug".to_owned()));
            }
            let result = match (page.data, page.error) {
                (Some(result), _) => result,
                (None, error) => {
                    let error = error.map_or_else(String::new, |e| format!("{}\n{}", e.message, e.hint));
                    return Err(CommandFailure::Daemon(error.trim_end().to_owned()));
                }
            };
            let next = (result.next_path.clone(), result.next_row);
            self.page(operand, result)?;
            let (Some(path), row) = next else { return Ok(()) };
            if self.matched && self.mode == Mode::Nothing {
                return Ok(());
            }
            args.insert("after_path".to_owned(), path.into());
            args.remove("after_row");
            args.extend(row.map(|row| ("after_row".to_owned(), row.into())));
        }
    }

    fn page(&mut self, operand: &Operand, result: GrepResult) -> Result<(), CommandFailure> {
        if !result.known && !is_empty_folder(&operand.place) {
            let place = if operand.written.is_empty() { "." } else { &operand.written };
            self.report_failure(&format!(
                "{place}: not in the index (ignored, hidden, binary, too large, or without text files): use rg"
            ));
        }
        if result.unreadable > 0 {
            self.report_failure(&format!("{} file(s) could not be read", result.unreadable));
        }
        self.matched |= !result.files.is_empty();
        if let Printer::Json(messages) = self.printer(result.is_file) {
            messages.count_searched(result.searched, result.bytes);
        }
        for mut file in result.files {
            let rest = file.path.strip_prefix(&result.place).unwrap_or(&file.path);
            let path = shown_path(&operand.written, rest.trim_start_matches('/'));
            if result.is_file && file.binary.is_some() && matches!(self.mode, Mode::Lines | Mode::Json) {
                self.report_failure(&format!("{path}: binary data further down: use rg"));
            }
            let mode = self.mode;
            match self.printer(result.is_file) {
                Printer::Json(messages) => write_json(messages, &path, &mut file)?,
                Printer::Plain(plain) => write_plain(plain, mode, &path, &mut file)?,
            }
        }
        Ok(())
    }

    /// Returns the printer; makes it once it is known whether the place is a file.
    fn printer(&mut self, is_file: bool) -> &mut Printer {
        let look = self.grep.line_look(self.one && is_file);
        let is_json = self.mode == Mode::Json;
        let form = if is_json { Form::Json } else { Form::Words };
        self.printer.get_or_insert_with(|| {
            let stdout = io::stdout().lock();
            let (is_terminal, out) = (stdout.is_terminal(), BufWriter::with_capacity(64 << 10, stdout));
            let out = Visible::new(out, is_terminal, form);
            if is_json { Printer::Json(Messages::new(out)) } else { Printer::Plain(Plain::new(out, look)) }
        })
    }

    fn report_failure(&mut self, what: &str) {
        self.failed = true;
        if !self.grep.no_messages {
            term::print_to_stderr(&format!("hob grep: {what}"));
        }
    }

    fn print_warning(&self, warning: &str) {
        if !self.grep.no_messages {
            term::print_to_stderr(&format!("hob grep: {warning}"));
        }
    }
}

fn write_plain(plain: &mut Plain<Out>, mode: Mode, path: &str, file: &mut GrepFile) -> io::Result<()> {
    match mode {
        Mode::Nothing | Mode::Json => return Ok(()),
        Mode::Paths => return plain.print_listed_path(path),
        Mode::Count => return plain.count(path, file.lines),
        Mode::CountMatches => return plain.count(path, file.matches),
        Mode::Lines => {}
    }
    if !file.continues {
        plain.begin(path)?;
    }
    let bytes = rows::take_bytes(file);
    rows::read_rows(file, &bytes).try_for_each(|row| plain.print_row(path, &row))?;
    match file.binary.filter(|_| !file.unfinished) {
        Some(offset) => plain.print_stopped(path, offset),
        None => Ok(()),
    }
}

fn write_json(messages: &mut Messages<Out>, path: &str, file: &mut GrepFile) -> io::Result<()> {
    if !file.continues {
        messages.begin(path)?;
    }
    let bytes = rows::take_bytes(file);
    rows::read_rows(file, &bytes).try_for_each(|row| messages.print_row(path, &row))?;
    if file.unfinished { Ok(()) } else { messages.end(path, file) }
}

/// Returns a path as ripgrep prints it: after the place in the user's spelling.
fn shown_path(written: &str, rest: &str) -> String {
    match (written, rest) {
        ("", rest) => rest.to_owned(),
        (written, "") => written.to_owned(),
        (written, rest) if written.ends_with('/') => format!("{written}{rest}"),
        (written, rest) => format!("{written}/{rest}"),
    }
}

fn text_of(path: &Path) -> Result<String, CommandFailure> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| CommandFailure::Usage(format!("{}: the path is not UTF-8: use rg", path.display())))
}

fn is_empty_folder(place: &Path) -> bool {
    std::fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_none())
}

/// Returns true if standard input is neither a terminal nor empty; ripgrep would search it.
#[cfg(unix)]
fn is_input_given() -> bool {
    use rustix::fs::FileType;
    let kind = rustix::fs::fstat(io::stdin()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    matches!(kind, Ok(FileType::Fifo | FileType::RegularFile | FileType::Socket))
}

#[cfg(not(unix))]
fn is_input_given() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shown_as_the_place_was_written() {
        assert_eq!(shown_path("", "a/b"), "a/b");
        assert_eq!(shown_path(".", "a/b"), "./a/b");
        assert_eq!(shown_path("src/", "b"), "src/b");
        assert_eq!(shown_path("../x", "b"), "../x/b");
        assert_eq!(shown_path("a/b.rs", ""), "a/b.rs");
    }
}
