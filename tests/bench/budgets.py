"""Checks what hob promises to cost, and prints a page of it.

    python3 tests/bench/budgets.py --programs target/release --tree ~/src/django --seconds 60

Five projects are open (copies of --tree, or small ones that are made), two editors and five agents are attached, and nobody asks. Then the
daemon's processor time, its wake-ups and its memory are taken from /proc; after that more agents attach, for the cost of each. Ends with 1
if a promise is broken. Linux alone.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from sessions import Editor, Shim, World

MORE_AGENTS = 20
"""Agents that attach later, to see what one costs."""


def promise(name, measured, most, unit):
    return {"name": name, "measured": measured, "most": most, "unit": unit, "holds": measured <= most}


class Daemon:
    def __init__(self, pid):
        self.pid = pid

    def seconds(self):
        """CPU seconds of all threads, also of those that have ended, in whole ticks."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wakes(self):
        """Voluntary switches by thread: one for each time that it was woken."""
        found = {}
        for task in Path(f"/proc/{self.pid}/task").iterdir():
            try:
                count = int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", (task / "status").read_text(), re.M)[1])
                found[task.name] = ((task / "comm").read_text().strip(), count)
            except OSError:
                continue
        return found

    def status(self, field):
        return int(re.search(rf"{field}:\s+(\d+)", Path(f"/proc/{self.pid}/status").read_text())[1])

    def anonymous_kib(self):
        return self.status("RssAnon")

    def descriptors(self):
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))


def open_all(world):
    """Opens every project and waits until its index is made."""
    symbols = files = 0
    for root in world.projects:
        code, out = world.hob(root, "index", timeout=1800)
        if code != 0:
            sys.exit(f"{root} could not be indexed: {out}")
        _, out = world.hob(root, "--json", "call", "map_status")
        data = json.loads(out)["data"]
        symbols, files = symbols + data["symbols"], files + data["files"]
    return symbols, files


def at_rest(daemon, wait):
    """Waits until the daemon has done what it had put off."""
    for _ in range(wait):
        before = daemon.seconds()
        time.sleep(2)
        if daemon.seconds() == before:
            return
    print("the daemon was still at work; what follows has a part of that", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description="Check what hob promises to cost")
    parser.add_argument("--programs", required=True)
    parser.add_argument("--tree", help="a project of which five copies are opened (default: small ones are made)")
    parser.add_argument("--seconds", type=int, default=60)
    args = parser.parse_args()
    args.projects, args.rg, args.server = 5, "rg", None
    world = World(args)
    if args.tree:
        for root in world.projects:
            shutil.rmtree(root)
            shutil.copytree(args.tree, root, symlinks=True)
    # A folder that is no project, so that nothing is opened.
    nothing = world.base / "nothing"
    nothing.mkdir()
    first = Shim(world, str(nothing))
    world.hob(str(nothing), "servers")
    while world.daemon_pid() is None:
        time.sleep(0.1)
    daemon = Daemon(world.daemon_pid())
    at_rest(daemon, 10)
    empty = daemon.anonymous_kib()
    symbols, files = open_all(world)
    first.close()
    editors = [Editor(world, root) for root in world.projects[:2]]
    for number, editor in enumerate(editors):
        name = next(path for path in Path(editor.root).rglob("*.py")).relative_to(editor.root)
        editor.type_text(str(name), f"def typed_{number}():\n    return 1\n")
    agents = [Shim(world, root) for root in world.projects]
    for agent in agents:
        agent.call("map_search", {"query": "work", "limit": 1})
    at_rest(daemon, 90)
    memory = daemon.anonymous_kib() - empty
    seconds, wakes = daemon.seconds(), daemon.wakes()
    time.sleep(args.seconds)
    later, woken = daemon.seconds(), daemon.wakes()
    by_thread = {}
    for task, (name, count) in woken.items():
        by_thread[name] = by_thread.get(name, 0) + count - wakes.get(task, (name, 0))[1]
    promises = [
        promise("processor while nobody asks, % of a core", (later - seconds) / args.seconds * 100, 0.1, "%"),
        promise("wake-ups while nobody asks, a second", sum(by_thread.values()) / args.seconds, 10, ""),
        promise("memory of a daemon without projects", empty / 1024, 48, "MiB"),
        promise("memory of open projects, for each symbol", memory * 1024 / max(1, symbols), 1500, "bytes"),
        promise("memory of open projects, for each file", memory / max(1, files), 64, "KiB"),
    ]
    before = (daemon.anonymous_kib(), daemon.descriptors(), daemon.status("Threads"))
    more = [Shim(world, world.projects[number % 5]) for number in range(MORE_AGENTS)]
    for agent in more:
        agent.call("map_search", {"query": "work", "limit": 1})
    after = (daemon.anonymous_kib(), daemon.descriptors(), daemon.status("Threads"))
    shims = [int(re.search(r"RssAnon:\s+(\d+)", Path(f"/proc/{one.process.pid}/status").read_text())[1]) for one in more]
    promises += [
        promise("memory of the daemon for each further agent", max(0, after[0] - before[0]) / MORE_AGENTS, 512, "KiB"),
        promise("descriptors of the daemon for each further agent", (after[1] - before[1]) / MORE_AGENTS, 2, ""),
        promise("threads of the daemon for each further agent", (after[2] - before[2]) / MORE_AGENTS, 1, ""),
        promise("memory of a shim", max(shims), 8192, "KiB"),
    ]
    [client.close() for client in (*editors, *agents, *more)]
    at_rest(daemon, 30)
    promises.append(promise("descriptors left when all agents have gone", daemon.descriptors() - before[1], 0, ""))
    world.hob(world.projects[0], "stop", timeout=90)
    version = subprocess.run([world.program("hob"), "--version"], capture_output=True, text=True).stdout.strip()
    print(f"# What {version} costs\n\n5 projects, {files:,} files, {symbols:,} symbols, 2 editors, 5 agents, {args.seconds} s of rest.\n")
    print("| what | promised, at most | measured | |\n|---|---|---|---|")
    for one in promises:
        print(f"| {one['name']} | {one['most']:g} {one['unit']} | {one['measured']:.3f} {one['unit']} | {'holds' if one['holds'] else 'BROKEN'} |")
    busy = sorted(((count, name) for name, count in by_thread.items() if count), reverse=True)
    print("\nWoken while nobody asked, by thread:", ", ".join(f"{name} {count}" for count, name in busy) or "none")
    shutil.rmtree(world.base, ignore_errors=True)
    sys.exit(0 if all(one["holds"] for one in promises) else 1)


if __name__ == "__main__":
    main()
