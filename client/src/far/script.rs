//! Holds the scripts that a shell runs on the far side. They are POSIX, and have no single quote, so that any login
//! shell passes them on.

/// Runs `hob proxy` there. The first argument is the required build, or empty for any; the others are the proxy's.
///
/// A shell without a terminal often lacks a part of the `PATH`, so the script adds the usual folders of programs. If
/// hob is missing, it prints a line in the form of a greeting with the kind of the machine.
pub(crate) const START: &str = r#"PATH="$PATH:$HOME/.local/bin:$HOME/.cargo/bin:/usr/local/bin:/opt/homebrew/bin"
build=$1
shift
if command -v hob >/dev/null 2>&1; then
  if [ -z "$build" ] || [ "$(hob --version 2>/dev/null)" = "hob ${build%%-*}" ]; then exec hob proxy "$@"; fi
fi
for folder in "${XDG_DATA_HOME:-$HOME/.local/share}"/hob/copied/${build:-*}; do
  if [ -x "$folder/hob" ] && [ -x "$folder/hobd" ]; then exec "$folder/hob" proxy "$@"; fi
done
echo "hob-proxy {\"missing\":\"$(uname -sm)\"}""#;

/// Stores standard input, of `$3` bytes, as the program `$2` of the build `$1`. The program is complete or absent, even
/// if the connection is lost half-way, or several clients copy it at the same time.
pub(crate) const RECEIVE: &str = r#"set -e
umask 077
folder="${XDG_DATA_HOME:-$HOME/.local/share}/hob/copied/$1"
mkdir -p "$folder"
new="$folder/$2.$$"
cat > "$new"
if [ "$(wc -c < "$new")" -ne "$3" ]; then
  rm -f "$new"
  echo "only a part of it arrived" >&2
  exit 1
fi
chmod 700 "$new"
mv "$new" "$folder/$2""#;

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;
    use std::process::{Command, Stdio};

    use super::*;

    fn run(home: &Path, script: &str, args: &[&str], input: Option<&Path>) -> String {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", script, "hob"])
            .args(args)
            .env_clear()
            .env("HOME", home)
            .env("PATH", "/usr/bin:/bin");
        if let Some(input) = input {
            command.stdin(Stdio::from(fs::File::open(input).expect("there")));
        }
        String::from_utf8_lossy(&command.output().expect("a shell").stdout).into_owned()
    }

    fn program(path: &Path, says: &str) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(
            path,
            format!("#!/bin/sh\n[ \"$1\" = --version ] && echo hob 1.2.3 || echo {says} \"$@\"\n"),
        )
        .expect("written");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("ours");
    }

    #[test]
    fn hob_is_found_where_it_is_installed_or_was_copied() {
        let dir = tempfile::tempdir().expect("a folder");
        let home = dir.path();
        let missing = run(home, START, &["", "--root", "x"], None);
        assert!(missing.starts_with("hob-proxy {\"missing\":\""), "{missing}");
        let sent = home.join("sent");
        program(&sent, "copied");
        let size = fs::metadata(&sent).expect("written").len();
        for size in [size + 1, size] {
            assert!(run(home, START, &["1.2.4-5f"], None).contains("missing"), "a part is nothing");
            for name in ["hob", "hobd"] {
                let _ = run(home, RECEIVE, &["1.2.4-5f", name, &size.to_string()], Some(&sent));
            }
        }
        assert_eq!(run(home, START, &["1.2.4-5f", "--root", "a b"], None), "copied proxy --root a b\n");
        assert_eq!(run(home, START, &[""], None), "copied proxy\n", "without a wish any will do");
        assert!(run(home, START, &["1.2.5-60"], None).contains("missing"));
        program(&home.join(".local/bin/hob"), "installed");
        assert_eq!(run(home, START, &[""], None), "installed proxy\n");
        assert_eq!(
            run(home, START, &["1.2.3-7"], None),
            "installed proxy\n",
            "it is the version that is wanted"
        );
        assert_eq!(run(home, START, &["1.2.4-5f"], None), "copied proxy\n");
    }

    #[test]
    fn no_single_quote_disturbs_a_login_shell() {
        assert!(!START.contains('\'') && !RECEIVE.contains('\''));
    }
}
