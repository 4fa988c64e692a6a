"""The Debian package: an installation laid out as Debian has it, then `cargo deb`, whose metadata is in client/cli/Cargo.toml.

No maintainer scripts: nothing is started, enabled or asked when the package is installed. The units are the user's, who enables
them with `systemctl --user enable --now hobd.socket`, or never needs them.
"""

import email.utils
import gzip
import os
import shutil
import subprocess
from pathlib import Path

import facts
import tree

# client/cli/Cargo.toml names what lies below this folder.
STAGE = facts.REPOSITORY / "target" / "packaging" / "deb"

# What the units' placeholders are for every user of a system. None: the line goes, with the comment above it, and systemd's own
# default counts.
FILLED = {
    "@HOBD@": "/usr/bin/hobd",
    "@SOCKET@": "%t/hob/hobd.sock",
    "@ENVIRONMENT@": "Environment=PATH=%h/.local/bin:%h/.cargo/bin:%h/go/bin:/usr/local/bin:/usr/bin:/bin",
    "@UMASK@": None,
}
HEAD = "# Part of the Debian package of hob. Units that `hob service install` writes for a user go before this one.\n\n"


def make(out: Path, programs: Path, target: str, with_notices: bool) -> Path:
    stage(programs, target, with_notices)
    command = ["cargo", "deb", "--no-build", "--no-strip", "--package", "hob-cli", "--output", str(out.resolve())]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(facts.time())}
    try:
        done = subprocess.run(command, cwd=facts.REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise facts.Wrong("cargo is not there") from None
    if done.returncode != 0:
        raise facts.Wrong(f"cargo deb failed (cargo install cargo-deb --locked): {done.stderr.strip()}")
    return Path(done.stdout.strip().splitlines()[-1])


def stage(programs: Path, target: str, with_notices: bool) -> Path:
    tree.fill(STAGE, programs, target, with_notices)
    move("share/zsh/site-functions", "share/zsh/vendor-completions")
    # Debian has the licences in `copyright`, and the list of changes under another name, packed.
    changes = (STAGE / "share/doc/hob/CHANGELOG.md").read_bytes()
    tree.write(STAGE / "share/doc/hob/changelog.gz", gzip.compress(changes, mtime=0))
    for name in ("LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"):
        (STAGE / "share/doc/hob" / name).unlink()
    shutil.rmtree(STAGE / "share/hob/service", ignore_errors=True)
    for unit in sorted((facts.PACKAGING / "systemd").glob("*")):
        text = filled(unit.read_text(encoding="utf-8"))
        tree.write(STAGE / "lib/systemd/user" / unit.name, text.encode())
    tree.write(STAGE / "changelog", changelog().encode())
    return STAGE


def filled(template: str) -> str:
    """A unit with every placeholder filled in, and a head of its own."""
    lines: list[str] = []
    for line in template.split("\n\n", 1)[1].splitlines():
        word = next((word for word in FILLED if word in line), None)
        if word is None:
            lines.append(line)
            continue
        value = FILLED[word]
        if value is None or line == word:
            # What was said of the user's own value is not true of this one.
            while lines and lines[-1].startswith("#"):
                lines.pop()
        if value is not None:
            lines.append(line.replace(word, value))
    return HEAD + "\n".join(lines) + "\n"


def changelog() -> str:
    """One entry in Debian's form, which points at the whole list of changes."""
    when = email.utils.formatdate(facts.time())
    return (
        f"hob ({facts.version()}-1) unstable; urgency=medium\n\n"
        "  * A release of hob; /usr/share/doc/hob/changelog.gz says what changed.\n\n"
        f" -- The hob maintainers <hob@example.invalid>  {when}\n"
    )


def move(old: str, new: str) -> None:
    (STAGE / new).parent.mkdir(parents=True, exist_ok=True)
    (STAGE / old).rename(STAGE / new)
