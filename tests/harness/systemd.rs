//! Tools of systemd: the machine's own, or those from Debian's packages if it has none.
//!
//! None of them needs a running systemd. As with the servers in `debian`, nothing is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::debian::{LIBRARIES, Packages, fetch, script};
use crate::outside::prepared;

const PACKAGES: Packages =
    &[("systemd", &["./bin", "./usr/bin", "./usr/lib/systemd/user"]), ("libsystemd-shared", LIBRARIES)];

/// The tools that tests use.
const TOOLS: [&str; 2] = ["systemd-analyze", "systemd-socket-activate"];

/// Returns a command that runs one of systemd's tools, by its full path.
#[must_use]
pub fn tool(name: &str) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file());
    Command::new(own.unwrap_or_else(|| programs().join(name)))
}

fn programs() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = prepared("systemd", &format!("{PACKAGES:?}"), |folder| {
            fetch(folder, PACKAGES);
            let (bin, root) = (folder.join("bin"), folder.join("root"));
            fs::create_dir(&bin).expect("a folder can be made");
            let root = root.display();
            for tool in TOOLS {
                let body = format!(
                    "for folder in '{root}'/usr/lib/*-linux-gnu '{root}'/usr/lib/*-linux-gnu/systemd '{root}'/lib/*-linux-gnu; do\n\
                     LD_LIBRARY_PATH=\"$folder:$LD_LIBRARY_PATH\"; done\nexport LD_LIBRARY_PATH\n\
                     export SYSTEMD_UNIT_PATH=\"$SYSTEMD_UNIT_PATH:{root}/usr/lib/systemd/user\"\n\
                     for own in '{root}/usr/bin/{tool}' '{root}/bin/{tool}'; do [ -x \"$own\" ] && exec \"$own\" \"$@\"; done\nexit 127"
                );
                script(&bin.join(tool), &body);
            }
        });
        folder.join("bin")
    })
}
