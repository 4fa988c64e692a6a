//! Reads the summary of an XML documentation comment as plain text, without tags.

/// Returns the summary of a documentation comment, or all of the comment if it has none.
pub(super) fn summary_text(doc: &str) -> String {
    if !doc.contains('<') {
        return doc.to_owned();
    }
    let from = doc.find("<summary>").map_or(0, |at| at + "<summary>".len());
    let rest = &doc[from..];
    let to = rest.find("</summary>").unwrap_or(rest.len());
    without_tags(&rest[..to])
}

/// Returns a text without tags; a reference is replaced by the name that it refers to.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let Some(end) = rest[at..].find('>') else { return out };
        let tag = &rest[at + 1..at + end];
        let named = ["cref=\"", "name=\"", "langword=\""];
        if let Some(value) = named.iter().find_map(|key| tag.split_once(key)) {
            let name = value.1.split('"').next().unwrap_or("");
            out.push_str(name.get(2..).filter(|_| name.as_bytes().get(1) == Some(&b':')).unwrap_or(name));
        }
        rest = &rest[at + end + 1..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::summary_text;

    #[test]
    fn the_summary_is_what_counts() {
        assert_eq!(
            summary_text("<summary>\nA <c>b</c>.\n</summary>\n<param name=\"x\">y</param>"),
            "\nA b.\n"
        );
        assert_eq!(
            summary_text("Says <see cref=\"T:Foo.Bar\"/> & <paramref name=\"x\"/>"),
            "Says Foo.Bar & x"
        );
        assert_eq!(summary_text("plain"), "plain");
        assert_eq!(summary_text("broken <summary"), "broken ");
    }
}
