"""The wheel for PyPI: the four programs as scripts, which pip puts onto the PATH of an environment; no Python of ours runs.

The one script beside them, named like the package, is for `uvx` and `pipx run`, which start a package by its name.
"""

import base64
import hashlib
import re
import zipfile
from pathlib import Path

import archive
import facts
import notices

NAME = facts.REGISTRY_NAME.replace("-", "_")


def make(out: Path, programs: Path, target: str, level: int, with_notices: bool) -> Path:
    found = facts.programs(programs, target)
    stem = f"{NAME}-{facts.version()}"
    tag = f"py3-none-{platform_tag(found, target)}"
    files: dict[str, tuple[bytes, int]] = {}
    for path in found:
        files[f"{stem}.data/scripts/{path.name}"] = (path.read_bytes(), 0o755)
    launcher = (facts.PACKAGING / "pypi" / "launch.py").read_bytes()
    files[f"{stem}.data/scripts/{facts.REGISTRY_NAME}"] = (launcher, 0o755)
    for name in ("LICENSE-MIT", "LICENSE-APACHE"):
        files[f"{stem}.dist-info/licenses/{name}"] = ((facts.REPOSITORY / name).read_bytes(), 0o644)
    if with_notices:
        files[f"{stem}.dist-info/licenses/THIRD-PARTY.txt"] = (notices.text(target).encode(), 0o644)
    files[f"{stem}.dist-info/METADATA"] = (metadata(with_notices).encode(), 0o644)
    wheel = f"Wheel-Version: 1.0\nGenerator: hob packaging\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files[f"{stem}.dist-info/WHEEL"] = (wheel.encode(), 0o644)
    files[f"{stem}.dist-info/RECORD"] = (record(files, f"{stem}.dist-info/RECORD").encode(), 0o644)
    made = out / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as opened:
        for name, (content, mode) in sorted(files.items()):
            archive.add(opened, name, content, mode)
    return made


def metadata(with_notices: bool) -> str:
    fields = (facts.PACKAGING / "pypi" / "METADATA").read_text(encoding="utf-8")
    if with_notices:
        fields = fields.rstrip("\n") + "\nLicense-File: THIRD-PARTY.txt\n"
    readme = (facts.PACKAGING / "pypi" / "README.md").read_text(encoding="utf-8")
    return fields.rstrip("\n") + "\n\n" + readme


def record(files: dict[str, tuple[bytes, int]], own: str) -> str:
    def line(name: str, content: bytes) -> str:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        return f"{name},sha256={digest},{len(content)}\n"

    return "".join(line(name, content) for name, (content, _) in sorted(files.items())) + f"{own},,\n"


def platform_tag(programs: list[Path], target: str) -> str:
    """On Linux the oldest glibc that has every symbol the programs ask for: they say so themselves."""
    platform = facts.TARGETS[target]
    if platform.npm_os != "linux":
        return platform.wheel
    asked = {int(minor) for path in programs for minor in re.findall(rb"GLIBC_2\.(\d+)\x00", memory(path))}
    if not asked:
        raise facts.Wrong(f"{programs[0].parent} has programs that name no version of glibc; were they built for {target}?")
    return f"manylinux_2_{max(max(asked), 17)}_{platform.wheel}"


def memory(path: Path) -> bytes:
    # The versions stand among the names of dynamic symbols, with a zero after each.
    return path.read_bytes()
