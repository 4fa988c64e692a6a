//! Makes a program's manual page from its own command line.
//!
//! The page is made from the definition that parses, so it cannot name an option that does not exist. The text below
//! the options in `--help` (examples, environment) keeps its lines, which `clap_mangen` would fill. Pages carry no
//! date, because the same sources must give the same bytes. This module does not show a page: `man` does.

use std::io::Write as _;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

/// Returns the page of `command` in section 1, as roff. `related` has the names of other pages of that section.
#[must_use]
pub fn page(command: Command, related: &[&str]) -> Vec<u8> {
    let notes = notes_section(&command);
    let see = see_also(related);
    // The text below the options is left out here, because it comes as `notes`.
    let command = command.after_help(None::<&str>).after_long_help(None::<&str>);
    // A blank, because without a date the fields behind it would move up.
    let man = Man::new(command).date(" ").source(concat!("hob ", env!("CARGO_PKG_VERSION"))).manual("hob");
    let mut text = Vec::new();
    let written =
        man.render(&mut text).and_then(|()| text.write_all(&notes)).and_then(|()| text.write_all(&see));
    written.expect("memory takes what is written");
    text
}

/// Returns the file name of the page of `command`: `hob-map.1`.
#[must_use]
pub fn file_name(command: &Command) -> String {
    format!("{}.1", command.get_display_name().unwrap_or_else(|| command.get_name()))
}

fn notes_section(command: &Command) -> Vec<u8> {
    let Some(text) = command.get_after_long_help().or_else(|| command.get_after_help()) else {
        return Vec::new();
    };
    let mut roff = Roff::new();
    roff.control("SH", ["NOTES"]).control("nf", []);
    for line in text.to_string().lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    roff.render().into_bytes()
}

fn see_also(related: &[&str]) -> Vec<u8> {
    if related.is_empty() {
        return Vec::new();
    }
    let pages: Vec<String> = related.iter().map(|name| format!("{name}(1)")).collect();
    let mut roff = Roff::new();
    roff.control("SH", ["SEE ALSO"]).text([roman(pages.join(", "))]);
    roff.render().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_options_the_notes_as_written_and_no_date() {
        let command = Command::new("thing")
            .about("Does it")
            .version("9.9")
            .arg(clap::Arg::new("way").long("way").help("How"))
            .arg(clap::Arg::new("secret").long("secret").hide(true))
            .after_help("Examples:\n  thing --way  there");
        let text = String::from_utf8(page(command, &["hob", "hobd"])).expect("text");
        assert!(text.contains("thing \\- Does it"), "{text}");
        assert!(text.contains("\\-\\-way") && !text.contains("secret"), "{text}");
        assert!(text.contains(".nf\nExamples:\n  thing \\-\\-way  there\n.fi"), "{text}");
        assert!(text.contains("hob(1), hobd(1)"), "{text}");
        assert!(text.contains(".TH thing 1 \" \" \"hob "), "a field for the date, and none in it: {text}");
    }
}
