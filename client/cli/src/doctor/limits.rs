//! Checks the limits of the system: watches, open files, memory.

use std::path::Path;

use super::check::{Check, Finding};
use super::surroundings::Surroundings;
use crate::render;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "watches", run: |around| check_watches(around).into_iter().collect() },
    Check { name: "instances", run: |_| check_instances().into_iter().collect() },
    Check { name: "open-files", run: |_| open_files().into_iter().collect() },
    Check { name: "memory", run: |_| check_memory().into_iter().collect() },
];

/// Number of watches below which the doctor warns: a large project has tens of thousands of folders.
const FEW_WATCHES: u64 = 65_536;
/// Number of inotify instances below which the doctor warns: each project takes one, and so do editors and language
/// servers.
const FEW_INSTANCES: u64 = 64;
/// Number of open files below which the doctor warns: connections, files being read, and language servers' pipes need
/// them.
const FEW_FILES: u64 = 1024;
/// Bytes of memory below which the doctor warns: a daemon with one language server takes about that much.
const LITTLE_MEMORY: u64 = 1 << 30;

const WATCHES: &str = "fs.inotify.max_user_watches";
const INSTANCES: &str = "fs.inotify.max_user_instances";

fn raise_command(key: &str, to: u64) -> String {
    format!("sudo sysctl {key}={to}; to keep it: echo '{key} = {to}' | sudo tee -a /etc/sysctl.d/60-hob.conf")
}

fn number_in(path: &str) -> Option<u64> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

fn check_watches(around: &Surroundings) -> Option<Finding> {
    let limit = number_in("/proc/sys/fs/inotify/max_user_watches")?;
    let (used, _) = used_by_this_user();
    let here = around.workspace().and_then(|workspace| workspace["watchedDirs"].as_u64());
    let all = around.status["watchedDirs"].as_u64();
    let of = |n: Option<u64>, what: &str| {
        n.map(|n| format!(", {} {what}", render::grouped_digits(n))).unwrap_or_default()
    };
    let text = format!(
        "{} of {} watches are used{}{}",
        render::grouped_digits(used),
        render::grouped_digits(limit),
        of(all, "by hob"),
        of(here, "for this project")
    );
    let more = raise_command(WATCHES, (limit * 2).max(524_288));
    Some(match () {
        () if used.saturating_mul(10) >= limit.saturating_mul(9) => Finding::problem(format!(
            "the watches are nearly used up, so changes are found by looking at all files: {text}"
        ))
        .with_fix(more),
        () if limit < FEW_WATCHES => {
            Finding::note(format!("the limit of watches is low for large projects: {text}")).with_fix(more)
        }
        () => Finding::ok(text),
    })
}

fn check_instances() -> Option<Finding> {
    let limit = number_in("/proc/sys/fs/inotify/max_user_instances")?;
    let (_, used) = used_by_this_user();
    let text =
        format!("{} of {} watchers are used", render::grouped_digits(used), render::grouped_digits(limit));
    let more = raise_command(INSTANCES, (limit * 2).max(512));
    Some(match () {
        () if used + 2 > limit => Finding::warning(format!(
            "no watcher is left for a daemon that starts, or for another program: {text}"
        ))
        .with_fix(more),
        () if limit < FEW_INSTANCES || used * 10 >= limit * 9 => {
            Finding::note(format!("watchers are few: {text}")).with_fix(more)
        }
        () => Finding::ok(text),
    })
}

/// Counts the watches and watchers of this user's processes, as far as they can be examined.
fn used_by_this_user() -> (u64, u64) {
    let Ok(processes) = std::fs::read_dir("/proc") else { return (0, 0) };
    let numbered = processes.filter_map(Result::ok).filter(|entry| {
        entry.file_name().to_string_lossy().bytes().all(|b| b.is_ascii_digit()) && is_ours(&entry.path())
    });
    numbered.fold((0, 0), |(watches, watchers), process| {
        let (w, i) = used_by(&process.path());
        (watches + w, watchers + i)
    })
}

fn used_by(process: &Path) -> (u64, u64) {
    let Ok(files) = std::fs::read_dir(process.join("fd")) else { return (0, 0) };
    let (mut watches, mut watchers) = (0, 0);
    for file in files.filter_map(Result::ok) {
        if std::fs::read_link(file.path()).is_ok_and(|to| to.as_os_str() == "anon_inode:inotify") {
            let info =
                std::fs::read_to_string(process.join("fdinfo").join(file.file_name())).unwrap_or_default();
            watches += info.lines().filter(|line| line.starts_with("inotify wd:")).count() as u64;
            watchers += 1;
        }
    }
    (watches, watchers)
}

#[cfg(unix)]
fn is_ours(process: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    process.metadata().is_ok_and(|meta| meta.uid() == rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn is_ours(_process: &Path) -> bool {
    false
}

#[cfg(unix)]
fn open_files() -> Option<Finding> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let soft = limit.current.unwrap_or(u64::MAX);
    if soft >= FEW_FILES {
        return Some(Finding::ok(match limit.current {
            Some(soft) => format!("{} files may be open at once", render::grouped_digits(soft)),
            None => "any number of files may be open at once".to_owned(),
        }));
    }
    let text =
        format!("only {soft} files may be open at once; language servers and large projects need more");
    Some(
        Finding::warning(text)
            .with_fix("ulimit -n 4096, then hob stop, so that the next question starts a daemon with it"),
    )
}

#[cfg(not(unix))]
fn open_files() -> Option<Finding> {
    None
}

fn check_memory() -> Option<Finding> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kib = |field: &str| {
        let line = info.lines().find(|line| line.starts_with(field))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    let (all, free) = (kib("MemTotal:")? << 10, kib("MemAvailable:")? << 10);
    let group = number_in("/sys/fs/cgroup/memory.max");
    let used = number_in("/sys/fs/cgroup/memory.current");
    // A container may have less memory than the machine.
    let left = group.zip(used).map_or(free, |(limit, used)| limit.saturating_sub(used).min(free));
    let text = format!(
        "{} of {} memory are free",
        render::bytes_text(left),
        render::bytes_text(group.map_or(all, |group| group.min(all)))
    );
    Some(match left < LITTLE_MEMORY {
        true => Finding::warning(format!("there is little memory for language servers: {text}"))
            .with_fix("hob top shows which take most; those that nobody uses end by themselves"),
        false => Finding::ok(text),
    })
}
