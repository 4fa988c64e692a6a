//! Parses the name of a far side as a user writes it: `HOST[:PATH]`, `[USER@]CONTAINER[:PATH]`, `DISTRIBUTION[:PATH]`.
//!
//! A name becomes an argument of `ssh`, `docker` or `wsl.exe`, and `ssh` may put it into commands of the user's own
//! configuration. So this module refuses a name that could be read as an option, or that has a character with a meaning
//! to a shell.

/// The name of a far side and, where the user gave one, the project there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FarAddress {
    /// The host, container or distribution, with the user's name if one was given.
    pub name: String,
    /// The project's path on the far side, as the user wrote it; it may begin with `~/` or be relative to the home folder.
    pub place: Option<String>,
}

/// Characters that names may have in addition to letters and digits.
const PLAIN: &str = "._-:@%+,=";

/// Reads `HOST[:PATH]`, where `HOST` may be `user@host` and an IPv6 address stands in brackets.
///
/// # Errors
/// A sentence about the refused name.
pub(crate) fn parse_host(text: &str) -> Result<FarAddress, String> {
    if text.starts_with("ssh://") {
        return Err("expected HOST[:PATH]; give a port in ~/.ssh/config or HOB_SSH".to_owned());
    }
    let Some((before, rest)) = text.split_once('[') else { return parse_name(text) };
    let (address, rest) = rest.split_once(']').ok_or("expected `]` after the address")?;
    let place = match rest.strip_prefix(':') {
        Some(place) => Some(place),
        None if rest.is_empty() => None,
        None => return Err("expected `:PATH` after `]`".to_owned()),
    };
    address_of(format!("{before}{address}"), place)
}

/// Reads `NAME[:PATH]` of a container or a distribution.
///
/// # Errors
/// A sentence about the refused name.
pub(crate) fn parse_name(text: &str) -> Result<FarAddress, String> {
    match text.split_once(':') {
        Some((name, place)) => address_of(name.to_owned(), Some(place)),
        None => address_of(text.to_owned(), None),
    }
}

fn address_of(name: String, place: Option<&str>) -> Result<FarAddress, String> {
    if name.split('@').any(|part| part.is_empty() || part.starts_with('-')) {
        return Err("expected a name that is not empty and does not begin with `-`".to_owned());
    }
    if let Some(odd) = name.chars().find(|c| !c.is_alphanumeric() && !PLAIN.contains(*c)) {
        return Err(format!("a name cannot have the character {odd:?}"));
    }
    let place = place.filter(|place| !place.is_empty());
    if place.is_some_and(|place| place.contains('\0')) {
        return Err("a path cannot have the character NUL".to_owned());
    }
    Ok(FarAddress { name, place: place.map(str::to_owned) })
}

impl std::fmt::Display for FarAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // An address with colons would be cut at the first colon.
        match (self.name.contains(':'), self.name.split_once('@')) {
            (true, Some((user, address))) => write!(f, "{user}@[{address}]")?,
            (true, None) => write!(f, "[{}]", self.name)?,
            (false, _) => f.write_str(&self.name)?,
        }
        self.place.as_ref().map_or(Ok(()), |place| write!(f, ":{place}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_parted_from_its_path_and_written_as_it_was() {
        for (text, name, place) in [
            ("devbox", "devbox", None),
            ("me@devbox:/srv/shop", "me@devbox", Some("/srv/shop")),
            ("devbox:~/my shop:2", "devbox", Some("~/my shop:2")),
            ("[fe80::1%eth0]:/srv", "fe80::1%eth0", Some("/srv")),
            ("me@[::1]", "me@::1", None),
        ] {
            let read = parse_host(text).expect("valid");
            assert_eq!((read.name.as_str(), read.place.as_deref()), (name, place), "{text}");
            assert_eq!(read.to_string(), text);
        }
        assert_eq!(parse_host("devbox:").expect("valid").place, None);
    }

    #[test]
    fn a_name_is_never_an_option_or_a_shells_word() {
        for bad in
            ["", "-oProxyCommand=x", "me@-x", "@x", ":/srv", "a b", "a;b", "a$(b)", "a`b`", "[::1", "[::1]x"]
        {
            assert!(parse_host(bad).is_err(), "{bad}");
        }
        assert!(parse_host("ssh://devbox/srv").expect_err("a URL").contains("HOB_SSH"));
        assert!(parse_name("--privileged").is_err());
    }
}
