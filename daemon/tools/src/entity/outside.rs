//! Gathers candidates that are not in the files themselves: packages that the project depends on, and branches, tags
//! and commits.

use hob_base::CancelToken;
use hob_proto::tools::entity::{EntitySource, Mode};
use hob_text::ranked::terms_of;
use hob_workspace::git::{GitError, Oid, Ref, RefKind, RefName, Repository, list_ref_names};
use hob_workspace::manifest::Package;
use serde_json::Map as Object;

use super::gather::{Gathered, SubjectView, best_fit, uri};
use super::path_step;
use super::request::SubjectScope;
use hob_words::entity::candidate::{Candidate, Traits};
use hob_words::entity::fit::{Fit, NameForms, NameMatchClass};

/// Number of the latest commits whose messages are searched, if the subject says that it is a commit.
const COMMITS: usize = 2_000;

/// Fewest digits of a commit's ID.
const DIGITS: usize = 7;

/// Adds the packages that the project depends on, by name.
pub(super) fn add_packages(view: &SubjectView<'_>, gathered: &mut Gathered) {
    if matches!(view.realm, SubjectScope::Cluster(_)) || view.request.language.is_some() {
        return;
    }
    let packages = view.workspace.packages();
    let before = gathered.len();
    for package in packages.iter().filter(|package| view.admits_path(package.manifest.as_str())) {
        if let Some(fit) = fit_of_package(view, package) {
            gathered.add(candidate_of_package(view, package, fit));
        }
    }
    let note = format!("{} of {} packages", gathered.len() - before, packages.len());
    gathered.steps.push(path_step("generate", "packages", "manifest", note));
}

fn fit_of_package(view: &SubjectView<'_>, package: &Package) -> Option<Fit> {
    let subject = &view.request.subject;
    let is_url = subject.text.starts_with("pkg:");
    if is_url && (subject.text == package.package_url() || subject.text == bare_purl(package)) {
        return Some(Fit::VERY_NAME);
    }
    let names = std::iter::once(&package.name).chain(&package.aliases);
    let fit = |name: &String| {
        // The scope, group or host before the last part counts as its container.
        let (outer, last) = name.rsplit_once(['/', ':']).unwrap_or(("", name));
        let whole = NameForms { name, terms: terms_of(name), outer: Vec::new(), path: Vec::new() };
        let last = NameForms { name: last, terms: terms_of(last), outer: terms_of(outer), path: Vec::new() };
        let whole = best_fit(subject, "package", &whole);
        // The last part is nearly as good as the whole name.
        let last = best_fit(subject, "package", &last).map(|fit| Fit { value: fit.value * 0.98, ..fit });
        whole.into_iter().chain(last).reduce(|a, b| if b.value > a.value { b } else { a })
    };
    names.filter_map(fit).reduce(|a, b| if b.value > a.value { b } else { a })
}

fn bare_purl(package: &Package) -> String {
    let purl = package.package_url();
    purl.split('@').next().unwrap_or_default().to_owned()
}

fn candidate_of_package(view: &SubjectView<'_>, package: &Package, fit: Fit) -> Candidate {
    let mut attributes = Object::new();
    attributes.insert("ecosystem".to_owned(), package.ecosystem.name().into());
    attributes.insert("manifest".to_owned(), package.manifest.as_str().into());
    attributes.insert("line".to_owned(), package.line.into());
    attributes.insert(
        "declared_in".to_owned(),
        uri(view.workspace, package.manifest.as_str(), Some(package.line)).into(),
    );
    attributes.insert("direct".to_owned(), package.direct.into());
    attributes.insert("dev".to_owned(), package.dev.into());
    let version = package.version.clone();
    attributes.extend(version.clone().map(|version| ("version".to_owned(), version.into())));
    attributes.extend(package.requirement.clone().map(|wanted| ("requirement".to_owned(), wanted.into())));
    let wanted = package.requirement.as_ref().map(|wanted| format!(" {wanted}")).unwrap_or_default();
    let locked = version.map(|version| format!(", {version} is used")).unwrap_or_default();
    let how = if package.direct { "named by" } else { "comes with another, by" };
    Candidate {
        id: bare_purl(package),
        label: package.name.clone(),
        kind: "package".to_owned(),
        description: format!("{}{wanted}{locked}; {how} {}", package.name, package.manifest),
        source: EntitySource::Manifest,
        uri: package.package_url(),
        attributes,
        path: package.manifest.as_str().to_owned(),
        container: package.ecosystem.name().to_owned(),
        traits: Traits { is_exported: package.direct, ..Traits::default() },
        fit,
        terms: Vec::new(),
    }
}

/// Adds branches, tags and commits by name; commits also by the beginning of their ID, or by their message if the
/// subject says that it is a commit.
pub(super) fn add_refs(view: &SubjectView<'_>, gathered: &mut Gathered, cancel: &CancelToken) {
    if *view.realm != SubjectScope::Everywhere || view.request.language.is_some() {
        return;
    }
    let before = gathered.len();
    // For most subjects, the names alone show that no ref is meant, without opening the repository.
    let names = list_ref_names(view.workspace.root()).filter(|_| !names_commit(view));
    if let Some(names) = names.filter(|names| names.iter().all(|name| fit_of_ref(view, name).is_none())) {
        let note = format!("0 of {} refs and commits", names.len());
        return gathered.steps.push(path_step("generate", "refs", "git", note));
    }
    let note = match Repository::discover(view.workspace.root()) {
        Ok(None) => "the project is no git repository".to_owned(),
        Ok(Some(repository)) => match add_named_refs(view, &repository, gathered, cancel) {
            Ok(looked_at) => format!("{} of {looked_at} refs and commits", gathered.len() - before),
            Err(error) => error.to_string(),
        },
        Err(error) => error.to_string(),
    };
    gathered.steps.push(path_step("generate", "refs", "git", note));
}

fn add_named_refs(
    view: &SubjectView<'_>,
    repository: &Repository,
    gathered: &mut Gathered,
    cancel: &CancelToken,
) -> Result<usize, GitError> {
    let subject = &view.request.subject;
    let refs = repository.list_refs(cancel)?;
    let mut looked_at = refs.refs.len();
    for one in &refs.refs {
        if let Some(fit) = fit_of_ref(view, &RefName { kind: one.kind, name: one.name.clone() }) {
            gathered.add(candidate_of_ref(one, fit));
        }
    }
    if let Some(revision) = revision_in(view)
        && let Ok(Some(commit)) = repository.commit(revision)
    {
        let fit = Fit::VERY_NAME;
        gathered.add(candidate_of_commit(commit.oid, &commit.subject, commit.time, fit));
        looked_at += 1;
    }
    if reads_messages(view) {
        let commits = repository.latest_commits(COMMITS, cancel)?;
        looked_at += commits.commits.len();
        for commit in &commits.commits {
            let message = NameForms {
                name: &commit.subject,
                terms: terms_of(&commit.subject),
                outer: Vec::new(),
                path: Vec::new(),
            };
            if let Some(fit) = best_fit(subject, "commit", &message) {
                gathered.add(candidate_of_commit(commit.oid, &commit.subject, commit.time, fit));
            }
        }
    }
    Ok(looked_at)
}

/// Returns the part of the subject that is written like a revision: the digits of a commit's ID, or an expression such
/// as `main~2`.
fn revision_in<'v>(view: &'v SubjectView<'_>) -> Option<&'v str> {
    let subject = &view.request.subject;
    let hex = subject.readings.iter().map(|reading| reading.name.as_str()).find(|name| {
        (DIGITS..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    let is_expression = subject.is_name && subject.text.contains(['~', '^', '@']) || subject.text == "HEAD";
    hex.or(is_expression.then_some(subject.text.as_str()))
}

/// Returns true if commits have to be searched, by their IDs or their messages.
fn names_commit(view: &SubjectView<'_>) -> bool {
    revision_in(view).is_some() || reads_messages(view)
}

fn reads_messages(view: &SubjectView<'_>) -> bool {
    wants_commit(view) && view.request.strategy.mode != Mode::Quick
}

/// Returns true if the words say that a commit is meant. Without that, messages would match any words.
fn wants_commit(view: &SubjectView<'_>) -> bool {
    let is_commit = |kinds: &[&str]| kinds.contains(&"commit");
    view.request.kinds.is_some_and(is_commit)
        || view.request.subject.readings.iter().any(|reading| reading.kinds.is_some_and(is_commit))
}

fn kind_word(kind: RefKind) -> &'static str {
    match kind {
        RefKind::Branch | RefKind::RemoteBranch => "branch",
        RefKind::Tag => "tag",
    }
}

/// Returns the fit of a ref's name; a part of its words is none, because `main` is in every program.
fn fit_of_ref(view: &SubjectView<'_>, one: &RefName) -> Option<Fit> {
    let subject = &view.request.subject;
    // The dots of a version separate no members: `v1.0`, `tag v1.0`.
    let behind_kind =
        subject.text.split_once(' ').filter(|(word, _)| *word == kind_word(one.kind)).map(|(_, name)| name);
    if subject.text == one.full_name() || behind_kind.unwrap_or(&subject.text) == one.name {
        return Some(Fit::VERY_NAME);
    }
    let (remote, short) = match one.kind {
        RefKind::RemoteBranch => one.name.split_once('/').unwrap_or(("", one.name.as_str())),
        _ => ("", one.name.as_str()),
    };
    let of = |name: &str, worth: f64| {
        let named = NameForms { name, terms: terms_of(name), outer: terms_of(remote), path: Vec::new() };
        let fit = best_fit(subject, kind_word(one.kind), &named)?;
        (fit.class <= NameMatchClass::Words).then_some(Fit { value: fit.value * worth, ..fit })
    };
    // A remote branch is meant less often than a local one.
    of(&one.name, 1.0).into_iter().chain(of(short, 0.9)).reduce(|a, b| if b.value > a.value { b } else { a })
}

fn candidate_of_ref(one: &Ref, fit: Fit) -> Candidate {
    let commit = candidate_of_commit(one.target, &one.subject, one.time, fit);
    let mut attributes = commit.attributes;
    attributes.insert("ref".to_owned(), one.full_name.clone().into());
    Candidate {
        id: format!("git:{}", one.full_name),
        label: one.name.clone(),
        kind: kind_word(one.kind).to_owned(),
        attributes,
        ..commit
    }
}

fn candidate_of_commit(oid: Oid, subject: &str, time: i64, fit: Fit) -> Candidate {
    let mut attributes = Object::new();
    attributes.insert("commit".to_owned(), oid.to_string().into());
    let seconds = u64::try_from(time).unwrap_or_default();
    let at = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    attributes.insert("time".to_owned(), humantime::format_rfc3339_seconds(at).to_string().into());
    Candidate {
        id: format!("git:{oid}"),
        label: oid.short_hex(),
        kind: "commit".to_owned(),
        description: subject.to_owned(),
        source: EntitySource::Git,
        uri: format!("git:{oid}"),
        attributes,
        path: String::new(),
        container: String::new(),
        traits: Traits { is_exported: true, ..Traits::default() },
        fit,
        terms: Vec::new(),
    }
}
