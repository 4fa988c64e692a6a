//! Lists all checks of the doctor in their order, and runs them.
//!
//! Programs read `--json` by the names of groups and checks, so those names stay.

use super::check::{Check, Group, NamedFinding};
use super::surroundings::Surroundings;
use super::{agents, daemon, far, limits, model, org, places, programs, project, servers, service, settings};

/// Every check, in the order in which they are shown: a check comes after those that it depends on.
const GROUPS: &[Group] = &[
    Group { name: "programs", checks: programs::CHECKS },
    Group { name: "daemon", checks: daemon::CHECKS },
    Group { name: "places", checks: places::CHECKS },
    Group { name: "limits", checks: limits::CHECKS },
    Group { name: "settings", checks: settings::CHECKS },
    Group { name: "project", checks: project::CHECKS },
    Group { name: "servers", checks: servers::CHECKS },
    Group { name: "service", checks: service::CHECKS },
    Group { name: "agents", checks: agents::CHECKS },
    Group { name: "model", checks: model::CHECKS },
    Group { name: "org", checks: org::CHECKS },
    Group { name: "elsewhere", checks: far::CHECKS },
];

/// Runs every check and returns all findings in order.
pub(super) fn run_checks(around: &Surroundings) -> Vec<NamedFinding> {
    let checks = GROUPS.iter().flat_map(|group| group.checks.iter().map(|check| (group.name, check)));
    let run = |(group, check): (&'static str, &'static Check)| {
        let findings = (check.run)(around).into_iter();
        findings.map(move |finding| NamedFinding { group, check: check.name, finding })
    };
    checks.flat_map(run).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_plain() {
        let mut seen = HashSet::new();
        for group in GROUPS {
            assert!(seen.insert(group.name), "{}", group.name);
            let names: HashSet<_> = group.checks.iter().map(|check| check.name).collect();
            assert_eq!(names.len(), group.checks.len(), "{}", group.name);
            assert!(names.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')));
        }
    }
}
