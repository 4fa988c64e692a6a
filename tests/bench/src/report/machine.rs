//! Describes the machine and the programs of a report, as far as a reader needs it to judge the figures. It contains no
//! names of hosts or users.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns the processor, the number of cores, the memory and the operating system.
pub(crate) fn describe_machine() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let system = system(std::env::consts::OS, &read("/proc/sys/kernel/osrelease"));
    format!(
        "{}, {cores} cores, {}, {system}",
        processor(&read("/proc/cpuinfo")),
        memory(&read("/proc/meminfo"))
    )
}

fn processor(cpuinfo: &str) -> String {
    let name = cpuinfo.lines().find_map(|line| line.strip_prefix("model name"));
    let name = name.and_then(|rest| rest.split_once(':')).map(|(_, name)| name.trim());
    name.unwrap_or(std::env::consts::ARCH).to_owned()
}

/// Returns the operating system with the first two numbers of its kernel's release. A patch release does not make it
/// another machine.
fn system(name: &str, release: &str) -> String {
    let numbers: Vec<&str> = release.trim().split('.').take(2).collect();
    format!("{name} {}", numbers.join(".")).trim().to_owned()
}

fn memory(meminfo: &str) -> String {
    let kib = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = kib.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    kib.map_or_else(|| "memory unknown".to_owned(), |kib| format!("{:.0} GiB", kib / f64::from(1 << 20)))
}

/// Returns the number of processes that were running or ready to run, averaged over a minute; `None` if the system does
/// not tell.
pub(crate) fn load_average() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// Returns a remark if other programs used the machine when the report began.
pub(crate) fn remark_on_load(load: f64, cores: usize) -> Option<String> {
    let share = load / cores as f64;
    // The run's own preparations keep about half of the cores busy.
    (share > 0.6).then(|| {
        format!(
            "The machine was busy: as the run began, {load:.1} processes wanted its {cores} cores. Times are long and their spread is wide; \
             ratios suffer less, because both sides took turns."
        )
    })
}

/// Returns the first line that a program prints for `--version`, or `None` if it cannot be run.
pub(crate) fn version_of(program: &Path) -> Option<String> {
    // Some write settings into the user's home even then, and some run only there.
    let home = tempfile::tempdir().ok()?;
    let told =
        |command: &mut Command| command.arg("--version").output().ok().filter(|out| out.status.success());
    let out = told(Command::new(program).env("HOME", home.path()));
    let out = out.or_else(|| told(&mut Command::new(program)))?;
    let text = String::from_utf8_lossy(&out.stdout);
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{memory, processor, remark_on_load, system};

    #[test]
    fn a_machine_is_described_from_what_the_kernel_says() {
        assert_eq!(processor("processor\t: 0\nmodel name\t: Slow CPU @ 2 GHz\n"), "Slow CPU @ 2 GHz");
        assert_eq!(processor(""), std::env::consts::ARCH);
        assert_eq!(memory("MemTotal:       16384000 kB\n"), "16 GiB");
        assert_eq!(memory(""), "memory unknown");
        assert_eq!(system("linux", "6.18.44-custom\n"), "linux 6.18");
        assert_eq!(system("macos", ""), "macos");
        assert_eq!(remark_on_load(0.9, 2), None);
        assert!(remark_on_load(4.0, 2).is_some());
    }
}
