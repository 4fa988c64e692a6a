//! Simulates another machine: a real `sshd` from Debian's package on a port of this machine, for one user with one key.
//!
//! Its configuration, keys and home folder are in a world, and a session sees the `HOB_DIR` of that world. As root,
//! `sshd` needs an account to which it drops its rights, and a folder in `/run`. It gets both in a separate mount
//! namespace, so that the machine is not changed.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::debian::{LIBRARIES, Packages, fetch, script};
use crate::outside::prepared;
use crate::{FOREVER, World, run};

const PACKAGES: Packages =
    &[("openssh-server", &["./usr/sbin"]), ("openssh-client", &["./usr/bin"]), ("libwrap0", LIBRARIES)];

/// The programs of the packages that tests use.
const PROGRAMS: [&str; 3] = ["usr/sbin/sshd", "usr/bin/ssh", "usr/bin/ssh-keygen"];

/// A shell script that gives `sshd` what it needs of the machine, in a separate namespace. Its arguments are the
/// server's folder, the program and the program's arguments.
const AS_ROOT: &str = "set -e\nfolder=$1\nshift\nmount -t tmpfs tmpfs /run\nmkdir -m 755 /run/sshd\n\
                       mount --bind \"$folder/passwd\" /etc/passwd\nmount --bind \"$folder/shadow\" /etc/shadow\nexec \"$@\"";

/// Returns a folder with `sshd`, `ssh` and `ssh-keygen`.
fn installed_programs() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = prepared("ssh", &format!("{PACKAGES:?}"), |folder| {
            fetch(folder, PACKAGES);
            let (bin, root) = (folder.join("bin"), folder.join("root"));
            fs::create_dir(&bin).expect("a folder can be made");
            let root = root.display();
            for program in PROGRAMS {
                let body = format!(
                    "for folder in '{root}'/usr/lib/*-linux-gnu '{root}'/lib/*-linux-gnu; do\n\
                     LD_LIBRARY_PATH=\"$folder:$LD_LIBRARY_PATH\"; done\nexport LD_LIBRARY_PATH\n\
                     exec '{root}/{program}' \"$@\""
                );
                script(&bin.join(program.rsplit('/').next().expect("a name")), &body);
            }
        });
        folder.join("bin")
    })
}

/// A running `sshd`, which ends when its last user is dropped.
#[derive(Debug)]
pub struct SshServer {
    child: Child,
    folder: PathBuf,
}

impl SshServer {
    /// Starts a server whose sessions are in `world`. Returns `None`, with a message, if that is not possible.
    ///
    /// # Panics
    ///
    /// Panics if the packages cannot be downloaded, or if the server does not listen.
    #[must_use]
    pub fn start(world: &World) -> Option<Self> {
        let is_root = rustix::process::geteuid().is_root();
        let may_mount =
            || Command::new("unshare").args(["--mount", "true"]).status().is_ok_and(|s| s.success());
        if is_root && !may_mount() {
            eprintln!("NOT TRIED: a real sshd (as root it takes a name space for mounts)");
            return None;
        }
        let folder = world.path("sshd");
        fs::create_dir(&folder).expect("a folder");
        let free =
            TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port");
        write_files(world, &folder, free.port());
        let mut command = match is_root {
            true => {
                let mut command = Command::new("unshare");
                command.args(["--mount", "sh", "-c", AS_ROOT, "sshd"]).arg(&folder);
                command
            }
            false => Command::new("env"),
        };
        command
            .arg(installed_programs().join("sshd"))
            .args(["-D", "-e", "-f"])
            .arg(folder.join("sshd_config"));
        let log = fs::File::create(folder.join("log")).expect("a file");
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().expect("it starts");
        let mut server = Self { child, folder };
        server.wait_for_port(free.port());
        Some(server)
    }

    fn wait_for_port(&mut self, port: u16) {
        let since = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = self.child.try_wait().is_ok_and(|status| status.is_some());
            let log = || fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            assert!(!ended && since.elapsed() < FOREVER, "sshd does not listen: {}", log());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns the value of `HOB_SSH` with which the host `far` is this server.
    #[must_use]
    pub fn ssh_command(&self) -> String {
        format!(
            "{} -F {}",
            installed_programs().join("ssh").display(),
            self.folder.join("ssh_config").display()
        )
    }
}

impl Drop for SshServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_files(world: &World, folder: &Path, port: u16) {
    let write = |name: &str, text: String| fs::write(folder.join(name), text).expect("written");
    for name in ["host", "key"] {
        let mut keygen = Command::new(installed_programs().join("ssh-keygen"));
        let _ =
            run(keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(folder.join(name)), b"").success();
    }
    let at = folder.display();
    let user = run(Command::new("id").arg("-un"), b"").success();
    let user = user.trim();
    let path = format!("{}:/usr/bin:/bin", crate::binaries().display());
    write(
        "sshd_config",
        format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {at}/host\nAuthorizedKeysFile {at}/key.pub\nStrictModes no\n\
             PasswordAuthentication no\nKbdInteractiveAuthentication no\nPidFile none\nPrintMotd no\n\
             SetEnv HOB_DIR={} PATH={path}\n",
            world.dir().display()
        ),
    );
    let host = fs::read_to_string(folder.join("host.pub")).expect("just made");
    write("known", format!("[127.0.0.1]:{port} {host}"));
    write(
        "ssh_config",
        format!(
            "Host far\n  HostName 127.0.0.1\n  Port {port}\n  User {user}\n  IdentityFile {at}/key\n  IdentitiesOnly yes\n  \
             UserKnownHostsFile {at}/known\n  GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking yes\n"
        ),
    );
    let home = world.path("home");
    write(
        "passwd",
        format!("root:x:0:0:root:{}:/bin/sh\nsshd:x:65533:65533::/:/bin/false\n", home.display()),
    );
    write("shadow", "root:*:19000:0:99999:7:::\nsshd:*:19000:0:99999:7:::\n".to_owned());
}
