//! Makes rows of `map_neighbors` for types from outside the project: `impl Listener for tokio::net::TcpListener` is
//! written at the level of a file, and no node of the map is that type. The line itself names the type, so each such
//! line becomes a row of its own.

use hob_proto::tools::map::Neighbor;

use super::map::text_at;
use hob_results::FileLineCache;

/// Makes a row of each line at which a type without a definition of its own is derived, if the line names it.
pub(super) fn name(neighbors: Vec<Neighbor>, lines: &mut FileLineCache<'_>) -> Vec<Neighbor> {
    neighbors.into_iter().flat_map(|found| rows(found, lines)).collect()
}

fn rows(found: Neighbor, lines: &mut FileLineCache<'_>) -> Vec<Neighbor> {
    let is_derived = matches!(found.edge.as_str(), "extends" | "implements");
    if !is_derived || found.direction != "in" || found.kind != "file" {
        return vec![found];
    }
    let named: Option<Vec<Neighbor>> = found.sites.iter().map(|line| row(&found, *line, lines)).collect();
    named.filter(|rows| !rows.is_empty() && found.site_count.is_none()).unwrap_or_else(|| vec![found])
}

fn row(found: &Neighbor, line: u32, lines: &mut FileLineCache<'_>) -> Option<Neighbor> {
    let text = text_at(lines, &found.file, Some(line));
    let derived = implementing(&text)?.to_owned();
    Some(Neighbor { sites: vec![line], derived: Some(derived), text, ..found.clone() })
}

/// Returns the type that an `impl` of Rust is for, from its first line.
fn implementing(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("unsafe ").unwrap_or(line).strip_prefix("impl")?;
    let (_, ty) = rest.rsplit_once(" for ")?;
    let ty = ty.split_once(" where").map_or(ty, |(ty, _)| ty);
    let ty = ty.trim_end_matches(['{', '}', ' ']).trim();
    (!ty.is_empty()).then_some(ty)
}

#[cfg(test)]
mod tests {
    use super::implementing;

    #[test]
    fn the_line_of_an_impl_says_which_type_it_is_for() {
        for (line, ty) in [
            ("impl Listener for tokio::net::TcpListener {", Some("tokio::net::TcpListener")),
            ("unsafe impl<T> Send for Vec<T> where T: Send {}", Some("Vec<T>")),
            ("impl<L, F> Listener for TapIo<L, F>", Some("TapIo<L, F>")),
            ("impl Foo {", None),
            ("fn for () {", None),
        ] {
            assert_eq!(implementing(line), ty, "{line}");
        }
    }
}
