"""Makes what a release consists of, out of programs that are already built.

    python3 packaging/release stage    --bin target/dist --out target/packaging/stage
    python3 packaging/release tarball  --bin target/dist --out dist
    python3 packaging/release npm      --bin target/dist --out dist/npm
    python3 packaging/release wheel    --bin target/dist --out dist
    python3 packaging/release deb      --bin target/dist --out dist
    python3 packaging/release checksums --out dist
    python3 packaging/release formula  --out dist

Python's standard library alone (3.10 or newer), because it is the same on Linux, macOS and Windows. Nothing is downloaded,
nothing is published. The same programs give the same bytes: entries are sorted, times are SOURCE_DATE_EPOCH (or 1980), owners are 0.
"""

import argparse
import sys
from pathlib import Path

import archive
import deb
import facts
import formula
import npm
import tree
import wheel


def main() -> None:
    parser = argparse.ArgumentParser(prog="python3 packaging/release", description="Make hob's packages")
    parser.add_argument("what", choices=["stage", "tarball", "npm", "wheel", "deb", "deb-stage", "checksums", "formula"])
    parser.add_argument("--bin", type=Path, help="the folder of the four programs")
    parser.add_argument("--out", type=Path, required=True, help="where the result goes")
    parser.add_argument("--target", default=None, choices=list(facts.TARGETS), help="what the programs were built for (default: here)")
    parser.add_argument("--level", type=int, default=9, help="how hard to compress, 1 to 9")
    parser.add_argument("--no-notices", action="store_true", help="leave out the dependencies' licences (never for a release)")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.what == "checksums":
        return say(archive.checksums(args.out))
    if args.what == "formula":
        return say(formula.write(args.out))
    if args.bin is None:
        parser.error(f"{args.what} needs --bin: the folder of {', '.join(facts.PROGRAMS)}")
    args.bin = args.bin.resolve()
    target = args.target or facts.host()
    notices = not args.no_notices
    if args.what == "stage":
        return say(tree.fill(args.out, args.bin, target, notices))
    if args.what == "tarball":
        return say(archive.make(args.out, args.bin, target, args.level, notices))
    if args.what == "npm":
        return say(npm.stage(args.out, args.bin, target, notices))
    if args.what == "deb-stage":
        return say(deb.stage(args.bin, target, notices))
    if args.what == "deb":
        return say(deb.make(args.out, args.bin, target, notices))
    return say(wheel.make(args.out, args.bin, target, args.level, notices))


def say(made: "Path | list[Path]") -> None:
    for path in made if isinstance(made, list) else [made]:
        print(path)


if __name__ == "__main__":
    try:
        main()
    except facts.Wrong as wrong:
        sys.exit(f"error: {wrong}")
