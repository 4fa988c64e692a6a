//! Colours the text form of an answer: paths, line numbers, and the answer's notes about itself.
//!
//! The daemon writes the same text for everybody; this file reads only its layout (`hob-render` documents it), so an
//! unknown line stays as it is.

use super::term::Style;

/// Returns `text` with its headers, line numbers and notes in colour.
pub(crate) fn paint_answer(text: &str, style: &Style) -> String {
    if !style.colour {
        return text.to_owned();
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    for (at, line) in lines.iter().enumerate() {
        let is_header = lines.get(at + 1).is_some_and(|next| indentation(next) > indentation(line));
        out.push_str(&painted_line(line, is_header, style));
        out.push('\n');
    }
    out
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn painted_line(line: &str, is_header: bool, style: &Style) -> String {
    let (indent, rest) = line.split_at(indentation(line));
    if indent.is_empty() && rest.starts_with('[') && rest.ends_with(']') {
        return style.dim(line).into_owned();
    }
    let number = rest.find(|c: char| !c.is_ascii_digit() && !"~?+-".contains(c)).unwrap_or(rest.len());
    let (number, text) = rest.split_at(number);
    match (is_header, number.chars().any(|c| c.is_ascii_digit())) {
        (_, true) => format!("{indent}{}{text}", style.line(number)),
        (true, false) if indent.is_empty() => style.path(line).into_owned(),
        (true, false) => format!("{indent}{}", style.bold(rest)),
        (false, false) => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_numbers_and_notes_are_told_apart() {
        let style = Style { colour: true, width: None };
        let text = "a.py\n C.f\n  9 x.go()\n[1 of 2 matches]\nplain\n";
        let expected = "\u{1b}[35ma.py\u{1b}[0m\n \u{1b}[1mC.f\u{1b}[0m\n  \u{1b}[32m9\u{1b}[0m x.go()\n\u{1b}[2m[1 of 2 matches]\u{1b}[0m\nplain\n";
        assert_eq!(paint_answer(text, &style), expected);
        assert_eq!(paint_answer(text, &Style::default()), text);
    }
}
