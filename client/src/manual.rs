//! A program's manual page, out of its own command line.
//!
//! The page is made from the definition that parses, so it cannot name an option that is not there. What stands below the options in
//! `--help` (examples, environment) is set as it was written: `clap_mangen` would fill its lines. Pages carry no date, because
//! the same sources must give the same bytes. Not a way to read one: that is `man`'s.

use std::io::Write as _;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

/// The page of `command` in section 1, as roff. `related` are the names of other pages of that section.
#[must_use]
pub fn page(command: Command, related: &[&str]) -> Vec<u8> {
    let notes = notes_section(&command);
    let see = see_also(related);
    // Without what it would print below the options: that comes as `notes`.
    let command = command.after_help(None::<&str>).after_long_help(None::<&str>);
    // A blank, because nothing at all would let the fields behind it move up.
    let man = Man::new(command).date(" ").source(concat!("hob ", env!("CARGO_PKG_VERSION"))).manual("hob");
    let mut text = Vec::new();
    let written =
        man.render(&mut text).and_then(|()| text.write_all(&notes)).and_then(|()| text.write_all(&see));
    written.expect("memory takes what is written");
    text
}

/// The file name of the page of `command`: `hob-map.1`.
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
