//! Lists files of a workspace that programs have mapped into their memory to write to them.
//!
//! Such a write is a store in memory: it gives no event, synced or not, until the file is unmapped. The system has no
//! cheap way to report that a file is mapped. So calls do not see these writes, and `map_status` names the files. The
//! search goes through all processes of the user, which takes some milliseconds.

use hob_base::{AbsPath, WsPath};

/// Lists the files below `root` that a process whose maps this user may read has mapped for writing at this moment,
/// sorted.
#[cfg(target_os = "linux")]
#[must_use]
pub fn mapped_for_writing(root: &AbsPath) -> Vec<WsPath> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes =
        processes.filter(|entry| entry.file_name().to_str().is_some_and(|name| name.parse::<u32>().is_ok()));
    let maps = processes.filter_map(|entry| std::fs::read_to_string(entry.path().join("maps")).ok());
    let mut found: Vec<WsPath> = maps.flat_map(|maps| writable_maps(&maps, root)).collect();
    found.sort();
    found.dedup();
    found
}

/// Returns no files: other platforms do not report maps.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn mapped_for_writing(_root: &AbsPath) -> Vec<WsPath> {
    Vec::new()
}

/// Lists the files below `root` that the text of a process's maps (`proc_pid_maps(5)`) has as shared and writable.
#[cfg(target_os = "linux")]
fn writable_maps(maps: &str, root: &AbsPath) -> Vec<WsPath> {
    let shared = maps.lines().filter(|line| {
        line.split(' ').nth(1).is_some_and(|rights| rights.contains("w") && rights.ends_with('s'))
    });
    let paths = shared.filter_map(|line| line.find('/').map(|at| &line[at..]));
    paths.filter_map(|path| AbsPath::new(path).ok()?.relative_to(root).ok()).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_shared_maps_that_may_be_written_count() {
        let maps = "7f00-7f01 rw-s 00000000 fe:00 12 /w/a b.py\n7f01-7f02 r--s 00000000 fe:00 13 /w/b.py\n\
                    7f02-7f03 rw-p 00000000 fe:00 14 /w/c.py\n7f03-7f04 rw-s 00000000 fe:00 15 /elsewhere/d.py\n\
                    7f04-7f05 rw-p 00000000 00:00 0 \n";
        let root = AbsPath::new("/w").expect("absolute");
        assert_eq!(writable_maps(maps, &root), [WsPath::new("a b.py").expect("relative")]);
    }
}
