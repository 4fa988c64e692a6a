"""Storms over a tree: everything that people and programs do to folders and files, as fast as it goes, while clients ask.

    python3 tests/bench/storm.py --programs target/release --clients 8 --seconds 6

Each kind of storm has its turn. While it rages, clients write into files of their own and ask about them (`sessions.py` says what their
answers must be). With its last write it leaves a mark; from then on the time is taken until `hob grep` prints what ripgrep prints, over all
files, and until the map has the last definition. An answer that differs and does not say that it may not be fresh is a problem, and so is
one that is right only after two seconds, or a call that takes longer than `--longest`. Latencies are told beside those of calm.

Mounts want rights, which everybody has in namespaces of its own:

    unshare --user --map-root-user --mount python3 tests/bench/storm.py ...
"""
import argparse
import contextlib
import ctypes
import json
import mmap
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

from sessions import Book, Client, World, compare_with_ripgrep, quantiles

EXCHANGE = 2
"""The flag of renameat2."""
RIGHT_WITHIN = 2.0
"""Seconds after the last write within which an answer has to be right."""
LAST_GUST = 0.5
"""Seconds for which the storm goes on while the clients have fallen silent: nobody has seen its last strokes when the first answer comes."""


class Storms:
    """The kinds of storms: a method `storm_NAME` is one stroke, done again and again; `after_NAME`, if there is one, ends it."""

    def __init__(self, world, root, rng):
        self.world, self.root, self.rng = world, Path(root), rng
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.strokes = 0
        self.links = {}
        self.alone = None

    def kinds(self):
        return sorted(name[6:] for name in dir(self) if name.startswith("storm_"))

    def folder(self):
        return self.root / f"d{self.rng.randrange(9)}"

    def file(self):
        number = self.rng.randrange(120)
        return self.root / f"d{number % 9}" / f"e{number % 4}" / f"m{number}.py"

    def definition(self):
        return f"def work_s{self.strokes}_{self.rng.randrange(1 << 30)}(x):\n    return x\n"

    def exchange(self, one, other):
        if self.libc.renameat2(-100, os.fsencode(one), -100, os.fsencode(other), EXCHANGE) != 0:
            raise OSError(ctypes.get_errno(), "renameat2")

    def git(self, *words):
        command = ["git", "-c", "user.name=s", "-c", "user.email=s@x", *words]
        return subprocess.run(command, cwd=self.root, env=self.world.env, capture_output=True).returncode == 0

    def storm_folders_exchanged(self):
        one, other = self.rng.sample(range(9), 2)
        self.exchange(self.root / f"d{one}", self.root / f"d{other}")

    def storm_folders_swapped_by_three_renames(self):
        one, other = (self.root / f"d{number}" for number in self.rng.sample(range(9), 2))
        aside = self.root / "aside"
        one.rename(aside)
        other.rename(one)
        aside.rename(other)

    def storm_files_exchanged(self):
        files = sorted(self.root.glob("d*/e*/*.py"))
        self.exchange(*self.rng.sample(files, 2))

    def storm_file_and_folder_exchanged(self):
        """A file has the name of a folder, and is below itself no more."""
        place, file = self.root / "d2" / "e2", self.root / "mixed.py"
        if not file.exists():
            file.write_text(self.definition())
        self.exchange(place, file)

    def storm_mounts(self):
        place = self.root / "d7" / "mounted"
        place.mkdir(exist_ok=True)
        if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(place)], capture_output=True).returncode != 0:
            raise PermissionError("mount")
        (place / "in.py").write_text(self.definition())
        time.sleep(self.rng.uniform(0, 0.05))
        subprocess.run(["umount", "-l", str(place)], check=True)

    def storm_bind_mounts(self):
        """A folder of the project is seen at another place of it, and is written to by both names."""
        here, there = self.root / "d6", self.root / "d7" / "bound"
        there.mkdir(exist_ok=True)
        if subprocess.run(["mount", "--bind", str(here), str(there)], capture_output=True).returncode != 0:
            raise PermissionError("mount")
        (there / "both.py").write_text(self.definition())
        (here / "both.py").write_text(self.definition())
        subprocess.run(["umount", "-l", str(there)], check=True)

    def storm_work_trees(self):
        place = self.root / "trees" / f"t{self.strokes % 3}"
        if place.exists():
            self.git("worktree", "remove", "--force", str(place))
        else:
            self.git("worktree", "add", "-q", "--detach", str(place), "other")

    def after_work_trees(self):
        for place in (self.root / "trees").glob("t*"):
            self.git("worktree", "remove", "--force", str(place))

    def storm_branches(self):
        self.git("checkout", "-qf", "other" if self.strokes % 2 else "main")

    def storm_rebase(self):
        self.git("checkout", "-qfB", "topic", "main")
        for number in range(3):
            (self.root / "d1" / f"topic{number}.py").write_text(self.definition())
            self.git("add", "d1")
            self.git("commit", "-qm", f"topic {number}")
        self.git("rebase", "-q", "other")
        self.git("checkout", "-qf", "main")

    def storm_stash(self):
        for _ in range(20):
            with open(self.file(), "a") as file:
                file.write(self.definition())
        self.git("stash")
        self.git("stash", "pop")

    def after_stash(self):
        self.git("checkout", "-qf", "main")
        self.git("stash", "clear")

    def storm_ignore_rules_flip(self):
        rules = ["ignored/\n", "ignored/\nd3/\n", "ignored/\n*.py\n!own/*.py\n", "ignored/\nd4/e*/\n!d4/e0/\n"]
        name = self.rng.choice([".gitignore", "d5/.gitignore", ".hobignore"])
        (self.root / name).write_text(self.rng.choice(rules))

    def after_ignore_rules_flip(self):
        (self.root / ".gitignore").write_text("ignored/\n")
        (self.root / ".hobignore").unlink(missing_ok=True)
        (self.root / "d5" / ".gitignore").unlink(missing_ok=True)

    def storm_names_that_differ_in_case(self):
        names = ["case.py", "Case.py", "CASE.py", "cAsE.py"]
        place = self.root / "d8"
        there = [name for name in names if (place / name).exists()]
        if there and self.rng.random() < 0.6:
            (place / self.rng.choice(there)).rename(place / self.rng.choice(names))
        else:
            (place / self.rng.choice(names)).write_text(self.definition())

    def storm_files_become_links_and_back(self):
        file = self.file()
        file.unlink(missing_ok=True)
        if self.rng.random() < 0.5:
            file.symlink_to(self.rng.choice(["/etc/hostname", "../e1/none.py", str(self.file())]))
        else:
            file.write_text(self.definition())

    def after_files_become_links_and_back(self):
        self.git("checkout", "-qf", "main", "--", ".")

    def storm_folders_become_links_and_back(self):
        place, aside = self.root / "d3", self.root / "d3-real"
        if place.is_symlink():
            place.unlink()
            aside.rename(place)
        else:
            place.rename(aside)
            place.symlink_to(self.rng.choice(["d3-real", "d4", "/usr/share"]))

    def after_folders_become_links_and_back(self):
        if (self.root / "d3").is_symlink():
            self.storm_folders_become_links_and_back()

    def storm_deep_trees_at_once(self):
        top = self.root / f"deep{self.strokes % 2}"
        shutil.rmtree(top, ignore_errors=True)
        place = top
        for level in range(60):
            place = place / f"n{level}"
            place.mkdir(parents=True)
            (place / "leaf.py").write_text(self.definition())

    def storm_wide_trees_at_once(self):
        """Built aside and moved in as a whole: no file of it gives an event."""
        aside, top = self.world.base / "wide", self.root / "wide"
        for number in range(400):
            place = aside / f"w{number % 40}"
            place.mkdir(parents=True, exist_ok=True)
            (place / f"f{number}.py").write_text(self.definition())
        shutil.rmtree(top, ignore_errors=True)
        aside.rename(top)

    def storm_same_size_and_time(self):
        file = self.file()
        about, text = file.stat(), file.read_bytes()
        with open(file, "r+b") as out:
            out.write(text.replace(b"x", b"y") if b"x" in text else text.replace(b"y", b"x"))
        os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))

    def storm_written_through_memory(self):
        file = self.file()
        with open(file, "r+b") as out, mmap.mmap(out.fileno(), 0) as memory:
            at = memory.find(b"work_")
            if at >= 0:
                memory[at:at + 4] = self.rng.choice([b"work", b"WORK"])
                memory.flush()

    def storm_cut_and_appended(self):
        file = self.file()
        if self.rng.random() < 0.3:
            os.truncate(file, self.rng.randrange(200))
        with open(file, "a") as out:
            out.write("\n" + self.definition())

    def storm_hard_links(self):
        """Writes go through a second name of a file, which stays for half a second: one that came and went before hob could see it gives no
        sign of the file that was written to."""
        other = self.root / "d0" / f"hard{self.strokes % 20}.py"
        file, since = self.links.get(other, (None, 0.0))
        if file is None or time.monotonic() - since > 0.5:
            file = self.file()
            other.unlink(missing_ok=True)
            os.link(file, other)
            self.links[other] = (file, time.monotonic())
        if file.stat().st_size > 1 << 18:
            file.write_text("")  # a file that is too large for the map has no definitions
        with open(other, "a") as out:
            out.write(self.definition())

    def storm_replaced_by_rename(self):
        file = self.file()
        beside = file.with_suffix(".tmp")
        beside.write_text(self.definition())
        beside.rename(file)

    def storm_times_of_the_future_and_the_past(self):
        file = self.file()
        file.write_text(self.definition())
        then = self.rng.choice([0, 1, 2**31, time.time() + 86400, time.time() - 86400])
        os.utime(file, (then, then))

    def storm_root_moved_and_made_again(self):
        """The clients stand still meanwhile: their files move with it."""
        away = self.root.with_name(self.root.name + "-away")
        with self.alone or self.world.locks[str(self.root)]:
            os.rename(self.root, away)
            if self.rng.random() < 0.5:
                shutil.copytree(away, self.root, symlinks=True)
                shutil.rmtree(away)
            else:
                time.sleep(0.02)
                os.rename(away, self.root)
        time.sleep(0.1)


def lines_of_hob(world, root):
    """What `hob grep` prints, as a set, and whether it said that it may not be fresh."""
    command = [world.program("hob"), "grep", "-n", "def "]
    done = subprocess.run(command, cwd=root, env=world.env, capture_output=True, text=True, timeout=60)
    if done.returncode == 2:
        return set(), True
    return set(done.stdout.splitlines()), "resh" in done.stderr


def lines_of_ripgrep(world, root):
    command = [world.ripgrep, "-n", "--no-heading", "def "]
    return set(subprocess.run(command, cwd=root, capture_output=True, text=True).stdout.splitlines())


def has_definition(world, root, name):
    code, out = world.hob(root, "--json", "call", "map_search", "--query", name, "--limit", "3")
    return code == 0 and f"#{name}" in json.dumps(json.loads(out).get("data"))


def settle(world, root, kind, book, last):
    """Asks until text and map are right; gives the times of the first answer and of the first right one since the last write.

    hob is asked before ripgrep runs, so that it has no time to catch up unseen."""
    begin = time.monotonic()
    ours, admitted = lines_of_hob(world, root)
    first = answered = time.monotonic() - begin
    truth, right, not_fresh = lines_of_ripgrep(world, root), None, 0
    while True:
        if ours == truth:
            right = answered
            break
        if not admitted:
            book.problem(f"{kind}: {len(ours)} lines and not {len(truth)}, for example {sorted(ours ^ truth)[:4]}")
            return {"first": first, "right": None, "not_fresh": not_fresh}
        not_fresh += 1
        if time.monotonic() - begin > 30:
            break
        ours, admitted = lines_of_hob(world, root)
        answered = time.monotonic() - begin
    if right is None or right > RIGHT_WITHIN:
        book.problem(f"{kind}: right only after {right} s")
    if not has_definition(world, root, last):
        book.problem(f"{kind}: the map has no {last}")
    return {"first": first, "right": right, "not_fresh": not_fresh}


def run_storm(world, book, storms, kind, seconds, longest):
    """One kind: strokes for so long, a last mark, and what the answers are then."""
    stroke, after = getattr(storms, "storm_" + kind), getattr(storms, "after_" + kind, None)
    root, begin, made, missed = str(storms.root), time.monotonic(), 0, 0
    with book.lock:
        book.phase, book.times["storm"] = "storm", []

    def rage(until):
        nonlocal made, missed
        while time.monotonic() < until:
            storms.strokes += 1
            try:
                stroke()
                made += 1
            except PermissionError:
                raise
            except (OSError, ValueError):
                missed += 1

    try:
        rage(begin + seconds)
        with world.locks[root]:
            storms.alone = contextlib.nullcontext()
            rage(time.monotonic() + LAST_GUST)
            if after:
                after()
            last = f"last_{kind}_{storms.strokes}"
            (storms.root / "last.py").write_text(f"def {last}():\n    pass\n")
            settled = settle(world, root, kind, book, last)
    except PermissionError as error:
        book.phase = "calm"
        return {"kind": kind, "left_out": str(error)}
    storms.alone, book.phase = None, "calm"
    times = quantiles(book.times["storm"])
    if times["worst"] > longest * 1000:
        book.problem(f"{kind}: a call took {times['worst']:.0f} ms")
    clean(storms)
    return {"kind": kind, "strokes": made, "missed": missed, **settled, "latency_ms": times}


def clean(storms):
    """The tree as it was committed; the clients' own files stay."""
    storms.git("checkout", "-qf", "main")
    storms.git("reset", "-q", "--hard", "main")
    storms.git("clean", "-qfdx", "-e", "own")


def table(rows, calm):
    lines = ["| storm | strokes | p50 ms | p99 ms | worst ms | first answer ms | right after ms |", "|---|---|---|---|---|---|---|",
             f"| none (calm) | | {calm['p50']:.0f} | {calm['p99']:.0f} | {calm['worst']:.0f} | | |"]
    for row in rows:
        name = row["kind"].replace("_", " ")
        if "left_out" in row:
            lines.append(f"| {name} | left out: {row['left_out']} | | | | | |")
            continue
        times, right = row["latency_ms"], row["right"]
        right = "never" if right is None else f"{right * 1000:.0f}"
        lines.append(f"| {name} | {row['strokes']} | {times['p50']:.0f} | {times['p99']:.0f} | {times['worst']:.0f} | "
                     f"{row['first'] * 1000:.0f} | {right} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Storms over a tree; see the head of this file")
    parser.add_argument("--programs", required=True)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=6, help="for each kind, and for the calm before them")
    parser.add_argument("--longest", type=float, default=10, help="seconds that a call may take")
    parser.add_argument("--only", action="append", help="only this kind; may be repeated")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rg", default="rg", help="the program ripgrep")
    parser.add_argument("--out", default="storm")
    parser.add_argument("--keep", action="store_true", help="keep the folder with the project and hob's files")
    args = parser.parse_args()
    # A server is told of every change and waited for; here the index is measured.
    args.projects, args.server = 1, "none"
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    world, book, stop = World(args), Book(), threading.Event()
    root = world.projects[0]
    storms = Storms(world, root, random.Random(args.seed))
    world.hob(root, "index")
    clients = [Client(world, book, number, stop, args.seed) for number in range(args.clients)]
    [client.start() for client in clients]
    time.sleep(3)
    book.times["calm"] = []
    time.sleep(args.seconds)
    rows = []
    for kind in args.only or storms.kinds():
        rows.append(run_storm(world, book, storms, kind, args.seconds, args.longest))
        print(json.dumps(rows[-1]), flush=True)
        time.sleep(1)
    time.sleep(args.seconds)
    stop.set()
    [client.join(90) for client in clients]
    compare_with_ripgrep(world, book)
    world.hob(root, "stop", timeout=90)
    calm = quantiles(book.times["calm"])
    (out / "storm.md").write_text(table(rows, calm))
    report = {"seed": args.seed, "counts": book.counts, "problems": book.problems, "calm_ms": calm, "storms": rows, "slow_steps": book.slow}
    (out / "storm.json").write_text(json.dumps(report, indent=1))
    print(table(rows, calm))
    print("answers:", json.dumps(dict(sorted(book.counts.items()))))
    print(f"{len(rows)} storms, {len(book.problems)} problems")
    if not args.keep and not book.problems:
        shutil.rmtree(world.base, ignore_errors=True)
    sys.exit(1 if book.problems else 0)


if __name__ == "__main__":
    main()
