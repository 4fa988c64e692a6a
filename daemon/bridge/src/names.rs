//! Translates an outline's names to the map's names.
//!
//! The map joins the names of a definition's ancestors with dots in every language. Servers write the names
//! that their editors show: `impl Shape for Square`, `(*Cart).Add`, `add(int)`, `forEach() callback`. This
//! module translates them; an entry that defines nothing is transparent, and its children belong to its
//! container.

use hob_live::requests::ServerOutline;

/// One entry of an outline with its place in it.
#[derive(Clone, Debug)]
pub struct QualifiedEntry<'o> {
    /// The entry of the server's outline.
    pub outline: &'o ServerOutline,
    /// Its qualified name: the names from the outermost in, joined with dots.
    pub qualified: String,
    /// The entry that contains it: an index into the same list.
    pub parent: Option<usize>,
}

impl QualifiedEntry<'_> {
    /// Returns its own name, as the map would write it.
    #[must_use]
    pub fn name(&self) -> &str {
        last(&self.qualified)
    }
}

/// Returns the last name of a qualified name.
pub(crate) fn last(qualified: &str) -> &str {
    qualified.rsplit('.').next().unwrap_or(qualified)
}

/// Returns every entry of an outline, in the order of the file, without those that define nothing.
#[must_use]
pub fn flatten_outline(outline: &[ServerOutline]) -> Vec<QualifiedEntry<'_>> {
    let mut entries = Vec::new();
    gather_entries(outline, None, &mut entries);
    entries
}

fn gather_entries<'o>(
    siblings: &'o [ServerOutline],
    parent: Option<usize>,
    entries: &mut Vec<QualifiedEntry<'o>>,
) {
    let mut ordered: Vec<&ServerOutline> = siblings.iter().collect();
    ordered.sort_by_key(|one| (one.lines.0, one.name_at));
    for outline in ordered {
        let own = dotted_name(&outline.name);
        let within = if own.is_empty() {
            parent
        } else {
            let qualified = match parent.map(|parent| &entries[parent].qualified) {
                Some(above) => format!("{above}.{own}"),
                None => own,
            };
            entries.push(QualifiedEntry { outline, qualified, parent });
            Some(entries.len() - 1)
        };
        gather_entries(&outline.children, within, entries);
    }
}

/// Returns a name as the map writes it; empty for an entry that defines nothing.
fn dotted_name(shown: &str) -> String {
    let shown = shown.trim();
    if let Some(implemented) = implemented_type(shown) {
        return last(&plain_name(implemented)).to_owned();
    }
    if shown.ends_with(" callback") || shown.starts_with('<') || shown.starts_with("(anonymous") {
        return String::new();
    }
    // A method as Go writes its receiver: `(*Cart).Add`.
    if let Some((receiver, method)) = shown.strip_prefix('(').and_then(|rest| rest.split_once(").")) {
        return format!("{}.{method}", plain_name(receiver.trim_start_matches('*')));
    }
    plain_name(shown)
}

/// Returns the type that an `impl` block belongs to.
fn implemented_type(shown: &str) -> Option<&str> {
    let rest = shown.strip_prefix("impl").filter(|rest| rest.starts_with([' ', '<']))?;
    let named = rest.rsplit_once(" for ").map_or_else(|| after_parameters(rest), |(_, named)| named);
    Some(named.trim().trim_start_matches(['&', '*']))
}

/// Returns the text behind the `<…>` with which an `impl` begins.
fn after_parameters(rest: &str) -> &str {
    let mut depth = 0_u32;
    for (at, c) in rest.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            ' ' => {}
            _ if depth == 0 => return &rest[at..],
            _ => {}
        }
    }
    ""
}

/// Returns a name without parameters, type arguments and quotes, and with dots between its parts.
fn plain_name(shown: &str) -> String {
    let shown = shown.trim().trim_matches(['"', '\'']);
    let operator = shown.starts_with("operator") || shown.contains("::operator");
    let end = if operator { None } else { shown.find(['(', '<']).filter(|at| *at > 0) };
    let name = end.map_or(shown, |end| &shown[..end]);
    name.trim().replace("::", ".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{outline_entry, outline_with_children};

    #[test]
    fn what_servers_show_becomes_what_the_map_writes() {
        for (shown, expected) in [
            ("refresh", "refresh"),
            ("impl Square", "Square"),
            ("impl<T: Ord> Heap<T>", "Heap"),
            ("impl fmt::Display for shapes::Square<'_>", "Square"),
            ("implicit", "implicit"),
            ("(*Cart).Add", "Cart.Add"),
            ("(Cart).Sum", "Cart.Sum"),
            ("add(int, List<String>)", "add"),
            ("Box<T>", "Box"),
            ("net::Socket", "net.Socket"),
            ("operator()", "operator()"),
            ("forEach() callback", ""),
            ("<function>", ""),
            ("(anonymous namespace)", ""),
            ("\"./shape\"", "./shape"),
            ("impl<", ""),
            ("(", "("),
            ("", ""),
        ] {
            assert_eq!(dotted_name(shown), expected, "{shown:?}");
        }
    }

    #[test]
    fn what_defines_nothing_is_transparent() {
        let inner = outline_entry("inner", "function", (3, 3));
        let callback = outline_with_children("forEach() callback", "function", (2, 4), vec![inner]);
        let outline = [outline_with_children("outer", "function", (1, 5), vec![callback])];
        let names: Vec<String> = flatten_outline(&outline).into_iter().map(|entry| entry.qualified).collect();
        assert_eq!(names, ["outer", "outer.inner"]);
    }
}
