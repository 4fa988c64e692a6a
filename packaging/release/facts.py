"""What every package has to agree on: version, names, platforms. The version is the workspace's and stands nowhere else here."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGING = REPOSITORY / "packaging"
PROGRAMS = ["hob", "hobd", "hob-mcp", "hob-lsp"]

# The name on npm and PyPI. Not claimed yet: see RELEASING.md.
REGISTRY_NAME = "hob-code"

# 1980-01-01, the earliest time that a zip archive can say.
EARLIEST = 315532800


class Wrong(Exception):
    """Something about the input; the text says what to do."""


@dataclass(frozen=True)
class Target:
    """One platform in everybody's words."""

    npm_os: str
    npm_cpu: str
    # What stands in a wheel's name; on Linux the oldest C library is added, which the programs tell.
    wheel: str

    @property
    def npm(self) -> str:
        return f"{self.npm_os}-{self.npm_cpu}"

    @property
    def is_windows(self) -> bool:
        return self.npm_os == "win32"

    @property
    def ending(self) -> str:
        return ".exe" if self.is_windows else ""


TARGETS = {
    "x86_64-unknown-linux-gnu": Target("linux", "x64", "x86_64"),
    "aarch64-unknown-linux-gnu": Target("linux", "arm64", "aarch64"),
    "x86_64-apple-darwin": Target("darwin", "x64", "macosx_10_12_x86_64"),
    "aarch64-apple-darwin": Target("darwin", "arm64", "macosx_11_0_arm64"),
    "x86_64-pc-windows-msvc": Target("win32", "x64", "win_amd64"),
}


def version() -> str:
    # `tomllib` would be newer than the Python of the oldest system that releases are built on.
    manifest = (REPOSITORY / "Cargo.toml").read_text(encoding="utf-8")
    found = re.search(r'^\[workspace\.package\]\nversion = "([^"]+)"$', manifest, re.MULTILINE)
    if found is None:
        raise Wrong("Cargo.toml has no version right below [workspace.package]")
    return found[1]


def host() -> str:
    said = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    triple = next(line.removeprefix("host: ") for line in said.splitlines() if line.startswith("host: "))
    if triple not in TARGETS:
        raise Wrong(f"no packages are made for {triple}; --target takes {', '.join(TARGETS)}")
    return triple


def time() -> int:
    """The time that every file of a package bears."""
    return max(EARLIEST, int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST)))


def programs(folder: Path, target: str) -> list[Path]:
    found = [folder / (name + TARGETS[target].ending) for name in PROGRAMS]
    for path in found:
        if not path.is_file():
            raise Wrong(f"{path} is not there; build the programs first: cargo build --profile dist --features full --locked")
    return found


def stem(target: str) -> str:
    """The name of an archive without its ending, and of the folder in it."""
    return f"hob-{version()}-{target}"
