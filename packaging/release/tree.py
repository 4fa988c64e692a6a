"""An installation as a folder: programs, manual pages, completions, documents, licences, service files.

It is laid out as it lies below a prefix (`~/.local`, `/usr/local`), so that installing is copying.
"""

import shutil
import subprocess
from pathlib import Path

import facts
import notices

# Where each shell looks below a prefix; shells that look nowhere have theirs among hob's own files.
COMPLETIONS = {
    "bash": "share/bash-completion/completions/hob",
    "zsh": "share/zsh/site-functions/_hob",
    "fish": "share/fish/vendor_completions.d/hob.fish",
    "powershell": "share/hob/completions/hob.ps1",
    "elvish": "share/hob/completions/hob.elv",
}
DOCUMENTS = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"]
SERVICE_FILES = ["systemd", "launchd", "windows"]


def fill(root: Path, programs: Path, target: str, with_notices: bool) -> Path:
    """Fills `root`, which is emptied first."""
    shutil.rmtree(root, ignore_errors=True)
    put_programs(root / "bin", programs, target)
    hob = root / "bin" / ("hob" + facts.TARGETS[target].ending)
    run(hob, "man", "--out", root / "share/man/man1")
    for shell, place in COMPLETIONS.items():
        write(root / place, run(hob, "completions", shell))
    put_documents(root / "share/doc/hob", target, with_notices)
    for folder in SERVICE_FILES:
        if (facts.PACKAGING / folder).is_dir():
            copy_tree(facts.PACKAGING / folder, root / "share/hob/service" / folder)
    return root


def put_programs(folder: Path, programs: Path, target: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in facts.programs(programs, target):
        shutil.copyfile(path, folder / path.name)
        (folder / path.name).chmod(0o755)


def put_documents(folder: Path, target: str, with_notices: bool) -> None:
    for name in DOCUMENTS:
        write(folder / name, (facts.REPOSITORY / name).read_bytes())
    copy_tree(facts.REPOSITORY / "docs", folder / "docs")
    if with_notices:
        write(folder / "THIRD-PARTY.txt", notices.text(target).encode())


def copy_tree(source: Path, to: Path) -> None:
    for path in sorted(source.rglob("*")):
        if path.is_file():
            write(to / path.relative_to(source), path.read_bytes())


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o644)


def run(program: Path, *args: "str | Path") -> bytes:
    done = subprocess.run([program, *args], capture_output=True, check=False)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise facts.Wrong(f"{program} {' '.join(map(str, args))} failed: {said}")
    return done.stdout
