//! Decides whether a group that may write the user's settings has other members than the user.
//!
//! Many systems give each user a group of one, and files that this group may write; so the mode alone proves
//! nothing. Only the local tables are read: the members of any other group are known only to a network.

#[cfg(unix)]
use std::collections::BTreeSet;
use std::path::Path;

/// Returns the warning about a file that others in its group may write; `None` if the group has no other
/// member.
#[cfg(unix)]
pub(super) fn concern(file: &Path) -> Option<String> {
    use hob_base::small;
    use std::os::unix::fs::MetadataExt as _;
    const LARGEST: u64 = 8 << 20;
    let found = file.metadata().ok().filter(|found| found.mode() & 0o020 != 0)?;
    let table = |name: &str| small::read_text(Path::new(name), LARGEST).unwrap_or_default();
    let others = other_members(found.uid(), found.gid(), &table("/etc/passwd"), &table("/etc/group"));
    let first = others.first()?;
    let more = if others.len() > 1 { " and others" } else { "" };
    Some(format!("`{0}` can be written by `{first}`{more} of its group: chmod g-w {0}", file.display()))
}

#[cfg(not(unix))]
pub(super) fn concern(_file: &Path) -> Option<String> {
    None
}

/// Returns the users in the group besides the user: by the group's own list, or because it is their first group.
#[cfg(unix)]
fn other_members(user: u32, group: u32, passwd: &str, groups: &str) -> BTreeSet<String> {
    let number = |field: Option<&&str>| field.and_then(|field| field.parse::<u32>().ok());
    let mut own = "";
    let mut all = BTreeSet::new();
    for line in passwd.lines() {
        let fields: Vec<&str> = line.split(':').collect();
        if number(fields.get(2)) == Some(user) {
            own = fields[0];
        } else if number(fields.get(3)) == Some(group) {
            all.insert(fields[0].to_owned());
        }
    }
    let of_group = groups.lines().map(|line| line.split(':').collect::<Vec<_>>());
    for fields in of_group.filter(|fields| number(fields.get(2)) == Some(group)) {
        let listed = fields.get(3).copied().unwrap_or_default().split(',').map(str::trim);
        all.extend(listed.filter(|name| !name.is_empty() && *name != own).map(str::to_owned));
    }
    all
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_group_of_one_is_nobody_else() {
        let passwd = "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbob:x:1001:100::/home/bob:/bin/sh\n";
        let groups = "root:x:0:\nusers:x:100:ann\nann:x:1000:ann\nstaff:x:50:ann,carl\n";
        let of = |group| other_members(1000, group, passwd, groups).into_iter().collect::<Vec<_>>();
        assert!(of(1000).is_empty() && of(4242).is_empty());
        assert_eq!(of(100), ["bob"], "it is his first group");
        assert_eq!(of(50), ["carl"]);
    }
}
