//! Splits a written type or argument list where no brackets are open.

/// Yields the parts of a text between the separators that stand in no brackets, untrimmed.
pub(crate) fn split_outside_brackets(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut depth, mut before) = (0_i32, ' ');
    text.split(move |c: char| {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            // The end of an arrow closes nothing.
            '>' if matches!(before, '-' | '=') => {}
            ')' | '>' | ']' | '}' => depth -= 1,
            _ => {}
        }
        before = c;
        c == separator && depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::split_outside_brackets;

    #[test]
    fn separators_in_brackets_separate_nothing() {
        let parts = |text| split_outside_brackets(text, ',').collect::<Vec<_>>();
        assert_eq!(parts("a,B<c,d>,(e,f),[g,h],{i,j}"), ["a", "B<c,d>", "(e,f)", "[g,h]", "{i,j}"]);
        assert_eq!(parts("(a)=>b,fn()->c"), ["(a)=>b", "fn()->c"]);
        assert_eq!(parts(""), [""]);
    }
}
