"""The Homebrew formula with this release's checksums, and the registry's server.json: what names files of a release."""

import re
from pathlib import Path

import facts


def write(out: Path) -> list[Path]:
    """Fills the template from the folder's `SHA256SUMS`."""
    sums = out / "SHA256SUMS"
    if not sums.is_file():
        raise facts.Wrong(f"{sums} is not there; `checksums` makes it, once all archives are in that folder")
    known = dict(reversed(line.split("  ", 1)) for line in sums.read_text(encoding="utf-8").splitlines())
    text = (facts.PACKAGING / "homebrew" / "hob.rb").read_text(encoding="utf-8")

    def digest(match: "re.Match[str]") -> str:
        archive = f"{facts.stem(match['target'])}.tar.xz"
        if archive not in known:
            raise facts.Wrong(f"{sums} has no {archive}; the formula needs the archives of all four Unix platforms")
        return known[archive]

    filled = re.sub(r"SHA256_OF_(?P<target>[a-z0-9_-]+)", digest, text)
    made = out / "hob.rb"
    made.write_text(filled, encoding="utf-8", newline="\n")
    return [made]
