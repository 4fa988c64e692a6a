"""The archive of an installation, the same bytes for the same programs, and the list of checksums beside it."""

import hashlib
import lzma
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

import facts
import tree


def make(out: Path, programs: Path, target: str, level: int, with_notices: bool) -> list[Path]:
    stem = facts.stem(target)
    with tempfile.TemporaryDirectory() as temp:
        root = tree.fill(Path(temp) / stem, programs, target, with_notices)
        if facts.TARGETS[target].is_windows:
            made = out / f"{stem}.zip"
            write_zip(made, root, stem, level)
        else:
            made = out / f"{stem}.tar.xz"
            write_tar(made, root, stem, level)
    return [made, checksums(out)]


def files(root: Path) -> list[Path]:
    """Every file below, in an order that no platform changes."""
    return sorted((path for path in root.rglob("*") if path.is_file()), key=lambda path: path.relative_to(root).as_posix())


def write_tar(made: Path, root: Path, stem: str, level: int) -> None:
    with (
        lzma.open(made, "wb", preset=level) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for path in files(root):
            entry = tarfile.TarInfo(f"{stem}/{path.relative_to(root).as_posix()}")
            entry.size = path.stat().st_size
            entry.mode = mode(path, root)
            entry.mtime = facts.time()
            with path.open("rb") as content:
                tar.addfile(entry, content)


def write_zip(made: Path, root: Path, stem: str, level: int) -> None:
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for path in files(root):
            add(archive, f"{stem}/{path.relative_to(root).as_posix()}", path.read_bytes(), mode(path, root))


def add(archive: zipfile.ZipFile, name: str, content: bytes, permissions: int) -> None:
    entry = zipfile.ZipInfo(name, time.gmtime(facts.time())[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3
    entry.external_attr = (0o100000 | permissions) << 16
    archive.writestr(entry, content)


def mode(path: Path, root: Path) -> int:
    return 0o755 if path.relative_to(root).parts[0] == "bin" else 0o644


def checksums(out: Path) -> Path:
    """`SHA256SUMS` over every file of the folder, in the form that `sha256sum --check` reads."""
    listed = sorted(path for path in out.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    lines = [f"{digest(path)}  {path.name}\n" for path in listed]
    made = out / "SHA256SUMS"
    made.write_text("".join(lines), encoding="utf-8", newline="\n")
    return made


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
