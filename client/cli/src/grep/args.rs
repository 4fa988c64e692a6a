//! Defines ripgrep's options, as far as hob supports them.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::elsewhere::UnsupportedOption;

const DETAILS: &str = "\
Options mean what they mean to ripgrep, and the output is ripgrep's, files in order of path. What is searched is what hob has
indexed: the text files that ripgrep finds by itself. Globs narrow that and bring nothing back that is ignored. For hidden,
ignored, compressed or binary files, -v, -U, -P, -r, standard input and places outside the project there is ripgrep.

Exit codes:
  0  a line matches
  1  none does
  2  something could not be searched, or the command line is wrong";

/// Search with ripgrep's habits, at the speed of the index
#[derive(Debug, Args)]
#[command(after_help = DETAILS, args_override_self = true)]
pub(crate) struct Grep {
    /// PATTERN, unless -e or -f gives one, and the files and folders to search (default: the working directory)
    #[arg(value_name = "PATTERN] [PATH...", allow_hyphen_values = false)]
    pub(super) words: Vec<OsString>,

    /// A pattern; may be given several times
    #[arg(short = 'e', long, value_name = "PATTERN", allow_hyphen_values = true)]
    pub(super) regexp: Vec<String>,
    /// Read patterns from a file, one a line
    #[arg(short = 'f', long, value_name = "FILE")]
    pub(super) file: Vec<PathBuf>,
    /// Treat patterns as plain texts
    #[arg(short = 'F', long)]
    pub(super) fixed_strings: bool,
    /// Ignore case
    #[arg(short = 'i', long, overrides_with_all = ["case_sensitive", "smart_case"])]
    pub(super) ignore_case: bool,
    /// Respect case in patterns (default)
    #[arg(short = 's', long, overrides_with_all = ["ignore_case", "smart_case"])]
    pub(super) case_sensitive: bool,
    /// Ignore case unless the pattern has a capital letter
    #[arg(short = 'S', long, overrides_with_all = ["ignore_case", "case_sensitive"])]
    pub(super) smart_case: bool,
    /// Match only whole words, not parts
    #[arg(short = 'w', long)]
    pub(super) word_regexp: bool,
    /// Match only whole lines, not parts
    #[arg(short = 'x', long)]
    pub(super) line_regexp: bool,

    /// Only files that match this glob, or do not match it with ! in front; the last match decides
    #[arg(short = 'g', long, value_name = "GLOB", allow_hyphen_values = true)]
    pub(super) glob: Vec<String>,
    /// Only files of this type
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(super) file_type: Vec<String>,
    /// No files of this type
    #[arg(short = 'T', long, value_name = "TYPE")]
    pub(super) type_not: Vec<String>,
    /// Most matching lines for each file
    #[arg(short = 'm', long, value_name = "NUM")]
    pub(super) max_count: Option<u64>,

    /// Show lines after each match
    #[arg(short = 'A', long, value_name = "NUM")]
    pub(super) after_context: Option<usize>,
    /// Show lines before each match
    #[arg(short = 'B', long, value_name = "NUM")]
    pub(super) before_context: Option<usize>,
    /// Show lines before and after each match
    #[arg(short = 'C', long, value_name = "NUM")]
    pub(super) context: Option<usize>,

    /// Only the number of matching lines, by file
    #[arg(short = 'c', long, overrides_with_all = ["count_matches", "files_with_matches"])]
    pub(super) count: bool,
    /// Only the number of matches, by file
    #[arg(long, overrides_with_all = ["count", "files_with_matches"])]
    pub(super) count_matches: bool,
    /// Only the paths of matching files
    #[arg(short = 'l', long, overrides_with_all = ["count", "count_matches"])]
    pub(super) files_with_matches: bool,
    /// Only the matches themselves
    #[arg(short = 'o', long)]
    pub(super) only_matching: bool,
    /// Print nothing; only the exit code shows the result
    #[arg(short = 'q', long)]
    pub(super) quiet: bool,

    /// Show line numbers (the default, in a pipe too)
    #[arg(short = 'n', long, overrides_with = "no_line_number")]
    pub(super) line_number: bool,
    /// Omit line numbers
    #[arg(short = 'N', long, overrides_with = "line_number")]
    pub(super) no_line_number: bool,
    /// Show the column of the first match, in bytes
    #[arg(long, overrides_with = "no_column")]
    pub(super) column: bool,
    #[arg(long, hide = true, overrides_with = "column")]
    pub(super) no_column: bool,
    /// Show the path with every line
    #[arg(short = 'H', long, overrides_with = "no_filename")]
    pub(super) with_filename: bool,
    /// Omit the paths of files
    #[arg(short = 'I', long, overrides_with = "with_filename")]
    pub(super) no_filename: bool,
    /// Show the path above the lines of a file (default on a terminal)
    #[arg(long, overrides_with = "no_heading")]
    pub(super) heading: bool,
    /// Show the path before every line
    #[arg(long, overrides_with = "heading")]
    pub(super) no_heading: bool,
    /// Write a NUL byte after paths
    #[arg(short = '0', long)]
    pub(super) null: bool,
    /// When to write in colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(super) color: When,
    /// The same as --color always --heading --line-number
    #[arg(short = 'p', long)]
    pub(super) pretty: bool,
    /// The order of files
    #[arg(long, value_name = "BY", default_value = "path")]
    pub(super) sort: Sort,

    /// Accepted, and of no consequence here.
    #[arg(short = 'j', long, hide = true)]
    threads: Option<usize>,
    #[arg(long, hide = true)]
    line_buffered: bool,
    #[arg(long, hide = true)]
    block_buffered: bool,
    #[arg(long, hide = true)]
    mmap: bool,
    #[arg(long, hide = true)]
    no_mmap: bool,
    #[arg(long, hide = true)]
    pub(super) no_messages: bool,
    #[arg(long, hide = true)]
    pub(super) no_config: bool,

    #[command(flatten)]
    pub(super) elsewhere: UnsupportedOption,
}

/// The choice when output is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum When {
    /// Colour on a terminal only.
    Auto,
    /// Colour in every output.
    #[value(alias = "ansi")]
    Always,
    /// Colour in no output.
    Never,
}

/// The orders there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Sort {
    /// By path; also where no order is asked for.
    #[value(alias = "none")]
    Path,
}
