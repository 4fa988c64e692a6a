"""Soaks hob: many clients on many projects for as long as one wants, while faults are injected; then looks at what is left.

    python3 tests/bench/soak.py --programs target/release --minutes 60 --clients 64 --projects 12 --faults 500

Every client owns one file and writes numbered marks into it; each answer about it must be of the last mark, or say that it may not be
fresh, or be an error. So a wrong, stale or lost answer is seen at once, whatever else happens to the daemon. The faults are drawn from a
seed and done one after the other; after each the time is taken until a new client has a right answer. The last part of the run is without
faults: there memory, descriptors, threads and disk must not grow. Writes `soak.json`, `faults.md` and plots as SVG into --out.

Needs ripgrep on the PATH for the last comparison. Faults that need rights which are missing are left out, and said: in namespaces of its
own everybody has them, and the limits of the system that it changes there are nobody else's:

    unshare --user --map-root-user --mount python3 tests/bench/soak.py ...

The machine's wall clock is left alone: where there is a C compiler, hob's programs get one of their own that jumps (`wall_clock.py`). Files
get times of the future and the past, and a daemon starts with a monotonic clock that runs a day ahead. A language server is a stand-in (`--server`, or `fake-lsp` beside the programs).
"""
import argparse
import ctypes
import json
import mmap
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from sessions import PATIENCE, Book, Client, Gone, Shim, World, compare_with_ripgrep, kill, quantiles
from wall_clock import WallClock

RECOVERS = 45.0
"""Longest time after a fault within which a new client has to have a right answer."""


class Faults:
    """The kinds of faults. Each returns a word on what was done, or None where it could not be done."""

    def __init__(self, world, book, rng):
        self.world, self.book, self.rng = world, book, rng

    def kinds(self):
        return sorted(name[3:] for name in dir(self) if name.startswith("do_"))

    def project(self):
        return self.rng.choice(self.world.projects)

    def process_named(self, name):
        found = [pid for pid, comm in self.world.our_processes().items() if comm.startswith(name)]
        return self.rng.choice(sorted(found)) if found else None

    def socket(self):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(2)
        client.connect(str(self.world.hob_dir / "run" / "hobd.sock"))
        return client

    def do_daemon_killed(self):
        return "killed" if kill(self.world.daemon_pid(), signal.SIGKILL) else None

    def do_daemon_terminated(self):
        return "ended" if kill(self.world.daemon_pid(), signal.SIGTERM) else None

    def do_daemon_stopped_for_two_seconds(self):
        pid = self.world.daemon_pid()
        if not kill(pid, signal.SIGSTOP):
            return None
        time.sleep(2)
        kill(pid, signal.SIGCONT)
        return "went on"

    def do_shim_killed(self):
        return "killed" if kill(self.process_named("hob-mcp"), signal.SIGKILL) else None

    def do_shim_stopped_for_a_second(self):
        pid = self.process_named("hob-mcp")
        if not kill(pid, signal.SIGSTOP):
            return None
        time.sleep(1)
        kill(pid, signal.SIGCONT)
        return "went on"

    def do_editor_killed(self):
        return "killed" if kill(self.process_named("hob-lsp"), signal.SIGKILL) else None

    def do_server_killed(self):
        return "killed" if kill(self.server(), signal.SIGKILL) else None

    def server(self):
        servers = self.world.servers()
        return self.rng.choice(servers) if servers else None

    def do_server_stopped_for_three_seconds(self):
        pid = self.server()
        if not kill(pid, signal.SIGSTOP):
            return None
        time.sleep(3)
        kill(pid, signal.SIGCONT)
        return "went on"

    def do_server_out_of_memory(self):
        """It may have no more memory than it has; the next message that needs some ends it."""
        pid = self.server()
        try:
            resource.prlimit(pid, resource.RLIMIT_AS, (1 << 20, 1 << 20))
        except (OSError, TypeError):
            return None
        end = time.monotonic() + 5
        while Path(f"/proc/{pid}/comm").exists() and time.monotonic() < end:
            time.sleep(0.1)
        if not Path(f"/proc/{pid}/comm").exists():
            return "ended of that"
        return "killed, as it asked for none" if kill(pid, signal.SIGKILL) else "ended of that"

    def expect(self, root, token, times):
        """A token is as often in the project as it was written, for somebody who comes now."""
        code, out = self.world.hob(root, "--json", "call", "count_patterns", "--patterns", token)
        try:
            answer = json.loads(out)
            seen = answer["data"]["patterns"][0]["total_matches"]
        except (ValueError, KeyError, IndexError):
            return
        if seen != times and "resh" not in json.dumps(answer.get("warnings", [])):
            self.book.problem(f"{token} is {seen} times in {root} and not {times}: {out[:600]}")

    def do_times_of_the_future_and_the_past(self):
        """What a clock that jumps leaves behind: files that are newer than now, and new texts in files that are older than before."""
        root = Path(self.project())
        for jump in (10 * 365 * 86400, -20 * 365 * 86400, 60, -60, 0):
            token = f"clock_{time.monotonic_ns()}"
            file = root / "own" / "clock.py"
            file.write_text(f"# {token}\n")
            os.utime(file, (time.time() + jump, time.time() + jump))
            self.expect(root, token, 1)
        return "five jumps"

    def do_wall_clock_jumps(self):
        """Forward and back while everybody works; files that are written meanwhile have the machine's time."""
        if not self.world.clock:
            return None
        root = Path(self.project())
        try:
            for ahead in (3600, -86400, 20 * 365 * 86400, -30 * 365 * 86400, 1, 0):
                self.world.clock.set_ahead(ahead)
                token = f"jump_{time.monotonic_ns()}"
                (root / "own" / "jump.py").write_text(f"# {token}\n")
                self.expect(root, token, 1)
        finally:
            self.world.clock.set_ahead(0)
        return "six jumps"

    def do_clock_of_the_daemon_a_day_ahead(self):
        """Killed, and begun anew in a time namespace whose monotonic clock runs ahead; the next kill takes it back."""
        for _ in range(5):
            kill(self.world.daemon_pid(), signal.SIGKILL)
            ahead = ["unshare", "--time", "--fork", "--monotonic", "86400", "--boottime", "86400", self.world.program("hob"), "index"]
            subprocess.run(ahead, cwd=self.project(), env=self.world.env, capture_output=True, timeout=PATIENCE)
            try:
                if os.readlink(f"/proc/{self.world.daemon_pid()}/ns/time") != os.readlink("/proc/self/ns/time"):
                    return "until the next end of the daemon"
            except OSError:
                pass
        return None

    def do_no_watches_left(self):
        """Only in a user namespace of its own, or every program of the user would be without."""
        limit = Path("/proc/sys/user/max_inotify_watches")
        if Path("/proc/self/uid_map").read_text().split()[2] == "4294967295" or not os.access(limit, os.W_OK):
            return None
        before, root = limit.read_text(), Path(self.project())
        limit.write_text("1")
        try:
            token = f"unwatched_{time.monotonic_ns()}"
            for number in range(20):
                folder = root / "unwatched" / f"n{number}"
                folder.mkdir(parents=True)
                (folder / "u.py").write_text(f"# {token}\n")
            self.expect(root, token, 20)
            (root / "unwatched" / "n3" / "u.py").write_text("# no more\n")
            self.expect(root, token, 19)
            shutil.rmtree(root / "unwatched")
            self.expect(root, token, 0)
        finally:
            limit.write_text(before)
        return "while 20 folders came and went"

    def do_daemon_asked_to_stop(self):
        code, _ = self.world.hob(self.project(), "stop")
        return f"exit code {code}"

    def do_store_removed_while_running(self):
        shutil.rmtree(self.world.hob_dir / "cache" / "store", ignore_errors=True)
        return "store"

    def do_mounted_over(self):
        place = Path(self.project()) / "d7"
        if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(place)], capture_output=True).returncode != 0:
            return None
        token = f"mounted_{time.monotonic_ns()}"
        (place / "m.py").write_text(f"# {token}\n")
        self.expect(place.parent, token, 1)
        subprocess.run(["umount", "-l", str(place)], check=True)
        self.expect(place.parent, token, 0)
        return "and taken away"

    def do_names_that_differ_in_case(self):
        folder = Path(self.project()) / "d8"
        token = f"case_{time.monotonic_ns()}"
        (folder / "case.py").write_text(f"# {token}\n")
        (folder / "Case.py").write_text(f"# {token}\n")
        self.expect(folder.parent, token, 2)
        (folder / "case.py").rename(folder / "CASE.py")
        (folder / "Case.py").unlink()
        self.expect(folder.parent, token, 1)
        (folder / "CASE.py").unlink()
        return "two, and one renamed"

    def do_rebased(self):
        root = self.project()
        with self.world.locks[root]:
            self.git(root, "checkout", "-qb", "topic")
            for number in range(3):
                (Path(root) / "d1" / f"topic{number}.py").write_text(f"def topic_{number}():\n    pass\n")
                self.git(root, "add", "d1")
                self.git(root, "commit", "-qm", f"topic {number}")
            self.git(root, "rebase", "-q", "other")
            self.git(root, "checkout", "-qf", "main")
            self.git(root, "branch", "-qD", "topic")
        return "three commits onto the other branch"

    def do_project_moved_away_and_made_again(self):
        root = self.project()
        with self.world.locks[root]:
            os.rename(root, root + "-old")
            shutil.copytree(root + "-old", root, symlinks=True)
            shutil.rmtree(root + "-old")
        return "as a copy"

    def do_noise_on_the_socket(self):
        with self.socket() as client:
            client.sendall(self.rng.randbytes(4096))
        return "4096 bytes"

    def do_torn_frame(self):
        with self.socket() as client:
            client.sendall(b"\x00\x00\x10\x00half of a frame")
        return "cut off"

    def do_mute_peer(self):
        clients = [self.socket() for _ in range(8)]
        time.sleep(3)
        [client.close() for client in clients]
        return "8 connections that said nothing"

    def do_crowd_of_peers(self):
        clients = []
        try:
            for _ in range(200):
                clients.append(self.socket())
        except OSError:
            pass
        [client.close() for client in clients]
        return f"{len(clients)} connections at once"

    def do_caller_gone_in_mid_call(self):
        root = self.project()
        shim = Shim(self.world, root)
        shim._send({"jsonrpc": "2.0", "id": 99, "method": "tools/call",
                    "params": {"name": "regex_search", "arguments": {"pattern": "(a|b|c|d)*work.*", "limit": 5000}}})
        shim.process.kill()
        shim.process.wait()
        return "killed while it asked"

    def do_slow_reader(self):
        shim = Shim(self.world, self.project())
        kill(shim.process.pid, signal.SIGSTOP)
        time.sleep(2)
        kill(shim.process.pid, signal.SIGCONT)
        shim.close()
        return "read nothing for 2 s"

    def damage(self, folder, how):
        files = [path for path in (self.world.hob_dir / "cache" / folder).rglob("*") if path.is_file() and path.stat().st_size > 64]
        if not files:
            return None
        kill(self.world.daemon_pid(), signal.SIGKILL)
        time.sleep(0.1)
        path = self.rng.choice(sorted(files))
        try:
            size = path.stat().st_size
            with open(path, "r+b") as file:
                if how == "cut":
                    file.truncate(size // 2)
                else:
                    file.seek(self.rng.randrange(size))
                    file.write(self.rng.randbytes(48))
        except OSError:
            return None
        return f"{path.name} {how}"

    def do_store_truncated(self):
        return self.damage("store", "cut")

    def do_store_overwritten(self):
        return self.damage("store", "overwritten")

    def do_index_truncated(self):
        return self.damage("workspaces", "cut")

    def do_index_overwritten(self):
        return self.damage("workspaces", "overwritten")

    def do_cache_removed_while_running(self):
        shutil.rmtree(self.world.hob_dir / "cache" / "workspaces", ignore_errors=True)
        return "workspaces"

    def do_log_removed_while_running(self):
        shutil.rmtree(self.world.hob_dir / "state" / "log", ignore_errors=True)
        return "state/log"

    def do_socket_removed(self):
        (self.world.hob_dir / "run" / "hobd.sock").unlink(missing_ok=True)
        return "hobd.sock"

    def do_runtime_folder_removed(self):
        shutil.rmtree(self.world.hob_dir / "run", ignore_errors=True)
        return "run"

    def limited(self, what, low, seconds):
        pid = self.world.daemon_pid()
        try:
            before = resource.prlimit(pid, what)
            resource.prlimit(pid, what, (low, before[1]))
        except (OSError, TypeError):
            return None
        time.sleep(seconds)
        try:
            resource.prlimit(pid, what, before)
        except OSError:
            return "it ended of that"
        return f"for {seconds} s"

    def do_no_descriptors_left(self):
        return self.limited(resource.RLIMIT_NOFILE, 40, 3)

    def do_no_memory_left(self):
        return self.limited(resource.RLIMIT_AS, 256 << 20, 1)

    def do_no_large_files(self):
        """As a full disk: writes beyond 64 KiB fail."""
        return self.limited(resource.RLIMIT_FSIZE, 64 << 10, 3)

    def do_disk_full(self):
        if not getattr(self.world, "disk", None):
            return None
        filler = self.world.hob_dir / "filler"
        try:
            with open(filler, "wb") as file:
                while True:
                    file.write(b"\0" * (1 << 20))
        except OSError:
            pass
        time.sleep(4)
        filler.unlink(missing_ok=True)
        return "for 4 s"

    def git(self, root, *words):
        subprocess.run(["git", "-c", "user.name=s", "-c", "user.email=s@x", *words], cwd=root, env=self.world.env, capture_output=True)

    def do_branch_switched(self):
        root = self.project()
        self.git(root, "checkout", "-q", "other")
        time.sleep(0.2)
        self.git(root, "checkout", "-q", "main")
        return "to and fro"

    def do_stashed(self):
        root = self.project()
        with open(Path(root) / "d0" / "e0" / "m0.py", "a") as file:
            file.write("# stash me\n")
        self.git(root, "stash")
        self.git(root, "stash", "pop")
        self.git(root, "checkout", "-q", "--", ".")
        return "and popped"

    def do_work_tree_added_and_removed(self):
        root = self.project()
        place = Path(root) / "ignored" / "tree"
        self.git(root, "worktree", "add", "-q", str(place), "other")
        time.sleep(0.3)
        self.git(root, "worktree", "remove", "--force", str(place))
        return "inside of the project"

    def do_project_moved_away_and_back(self):
        root = self.project()
        with self.world.locks[root]:
            os.rename(root, root + "-away")
            time.sleep(0.5)
            os.rename(root + "-away", root)
        return "for half a second"

    def do_folders_exchanged(self):
        root = Path(self.project())
        libc = ctypes.CDLL(None, use_errno=True)
        names = [os.fsencode(root / "d1"), os.fsencode(root / "d2")]
        for _ in range(2):
            if libc.renameat2(-100, names[0], -100, names[1], 2) != 0:
                return None
            time.sleep(0.1)
        return "and back"

    def do_deep_tree_made_at_once(self):
        root = Path(self.project()) / "deep"
        (root / "/".join(f"n{level}" for level in range(60))).mkdir(parents=True, exist_ok=True)
        time.sleep(0.1)
        shutil.rmtree(root, ignore_errors=True)
        return "60 folders, and removed"

    def do_rules_flipped(self):
        root = Path(self.project())
        rules = root / ".gitignore"
        before = rules.read_text()
        rules.write_text(before + "d3/\n")
        time.sleep(0.3)
        rules.write_text(before)
        return "d3 left out and taken in"

    def do_file_becomes_link(self):
        root = Path(self.project())
        file = root / "d4" / "e0" / "m4.py"
        if not file.is_file() or file.is_symlink():
            return None
        text = file.read_bytes()
        file.unlink()
        file.symlink_to("/etc/hostname")
        time.sleep(0.2)
        file.unlink()
        file.write_bytes(text)
        return "and a file again"

    def do_same_size_and_time(self):
        root = Path(self.project())
        file = root / "d5" / "e1" / "m5.py"
        about, text = file.stat(), file.read_bytes()
        for new in (text[::-1], text):
            with open(file, "r+b") as out:
                out.write(new)
            os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))
            time.sleep(0.1)
        return "twice"

    def do_written_through_memory(self):
        file = Path(self.project()) / "d6" / "e2" / "m6.py"
        with open(file, "r+b") as out, mmap.mmap(out.fileno(), 0) as memory:
            first = memory[0]
            memory[0] = ord("#")
            memory.flush()
            memory[0] = first
            memory.flush()
        return "a byte, to and fro"


def after_fault(world, book):
    """The time until a new client has a right answer."""
    root = world.projects[0]
    mark = f"probe_{time.monotonic_ns()}"
    (Path(root) / "own" / "probe.py").write_text(f"# {mark}\n")
    begin = time.monotonic()
    while time.monotonic() - begin < RECOVERS:
        try:
            code, out = world.hob(root, "--json", "call", "regex_search", "--pattern", mark, timeout=RECOVERS)
            if code == 0 and mark in json.dumps(json.loads(out)["data"]["matches"]):
                return time.monotonic() - begin
        except (subprocess.TimeoutExpired, ValueError, KeyError):
            pass
        time.sleep(0.1)
    book.problem(f"no right answer within {RECOVERS} s after a fault")
    return None


def disk_of(folder):
    """The bytes of all files, of which any may go meanwhile."""
    whole = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                whole += os.lstat(os.path.join(place, name)).st_size
            except OSError:
                continue
    return whole


def sample(world, book, stop):
    """Writes down memory, descriptors, threads and disk, every two seconds."""
    while not stop.wait(2.0):
        pid = world.daemon_pid()
        try:
            status = Path(f"/proc/{pid}/status").read_text()
            rss = int(re.search(r"RssAnon:\s+(\d+)", status)[1]) / 1024
            threads = int(re.search(r"Threads:\s+(\d+)", status)[1])
            descriptors = len(os.listdir(f"/proc/{pid}/fd"))
        except (OSError, TypeError):
            continue
        disk = disk_of(world.hob_dir) / 1e6
        book.series.append({"at": time.monotonic() - book.begin, "phase": book.phase, "pid": pid, "rss": rss, "threads": threads,
                            "descriptors": descriptors, "disk": disk})


def slope(points, name):
    """Least squares, by minute."""
    if len(points) < 3:
        return 0.0
    xs, ys = [point["at"] / 60 for point in points], [point[name] for point in points]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / spread if spread else 0.0


def plot(series, name, unit, faults, file):
    """One line over time as SVG, with the part that has faults shaded."""
    if not series:
        return
    width, height, left, low = 900, 260, 60, 30
    last, most = series[-1]["at"] or 1, max(point[name] for point in series) * 1.1 or 1
    x = lambda at: left + at / last * (width - left - 10)
    y = lambda value: height - low - value / most * (height - low - 20)
    line = " ".join(f"{x(point['at']):.1f},{y(point[name]):.1f}" for point in series)
    shade = ""
    if faults:
        begin, end = x(faults[0]["at"]), x(faults[-1]["at"])
        shade = f'<rect x="{begin:.0f}" y="20" width="{end - begin:.0f}" height="{height - low - 20}" fill="#f6d8d8"/>'
    ticks = "".join(f'<text x="4" y="{y(most * part / 4) + 4:.0f}">{most * part / 4:.0f}</text>' for part in range(5))
    minutes = "".join(f'<text x="{x(last * part / 4) - 10:.0f}" y="{height - 10}">{last * part / 240:.1f}</text>' for part in range(5))
    file.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">'
                    f'<rect width="{width}" height="{height}" fill="white"/>{shade}<text x="{left}" y="14">{name} ({unit}) by minutes; '
                    f'shaded: faults</text>{ticks}{minutes}<polyline points="{line}" fill="none" stroke="#2457a6" stroke-width="1.5"/></svg>\n')


def run_faults(world, book, args, rng, until):
    faults, done = Faults(world, book, rng), []
    kinds = args.only or faults.kinds()
    pause = max(0.2, (until - time.monotonic()) / max(1, args.faults))
    while time.monotonic() < until and len(done) < args.faults:
        kind = rng.choice(kinds)
        began = time.monotonic()
        book.under_way = kind
        try:
            what = getattr(faults, "do_" + kind)()
        except (OSError, Gone) as error:
            what = None if isinstance(error, OSError) else str(error)
        except Exception as error:  # a fault that goes wrong is told, and the others go on
            what = None
            book.problem(f"the fault {kind}: {type(error).__name__} {error}")
        recovered = after_fault(world, book) if what else None
        book.under_way = None
        done.append({"kind": kind, "what": what, "at": began - book.begin, "recovered": recovered})
        time.sleep(max(0.0, pause - (time.monotonic() - began)))
    return done


def fault_table(faults):
    lines = ["| fault | times | left out | back after, median s | longest s |", "|---|---|---|---|---|"]
    for kind in sorted({fault["kind"] for fault in faults}):
        all_of = [fault for fault in faults if fault["kind"] == kind]
        back = sorted(fault["recovered"] for fault in all_of if fault["recovered"] is not None)
        left_out = sum(1 for fault in all_of if fault["what"] is None)
        times = f"{back[len(back) // 2]:.2f} | {back[-1]:.2f}" if back else " | "
        lines.append(f"| {kind.replace('_', ' ')} | {len(all_of) - left_out} | {left_out} | {times} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Soak hob; see the head of this file")
    parser.add_argument("--programs", required=True)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--calm-minutes", type=float, help="the last part, without faults (default: a third)")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--projects", type=int, default=12)
    parser.add_argument("--faults", type=int, default=500)
    parser.add_argument("--only", action="append", help="only this kind of fault; may be repeated")
    parser.add_argument("--disk", type=int, help="megabytes of a file system of its own for hob's files, to be filled (needs root)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rg", default="rg", help="the program ripgrep")
    parser.add_argument("--server", help="a stand-in for a language server, with the command line of fake-lsp")
    parser.add_argument("--out", default="soak")
    parser.add_argument("--keep", action="store_true", help="keep the folder with hob's files")
    args = parser.parse_args()
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    world, book, rng, stop = World(args), Book(), random.Random(args.seed), threading.Event()
    world.clock = WallClock(world.base) if WallClock.can_be_made() else None
    world.env.update(world.clock.environment if world.clock else {})
    if args.disk:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={args.disk}m,mode=700", "tmpfs", str(world.hob_dir)])
        world.disk = mounted.returncode == 0
    print(f"soak: {world.base}, {args.clients} clients, {args.projects} projects, seed {args.seed}", flush=True)
    threading.Thread(target=sample, args=(world, book, stop), daemon=True).start()
    clients = [Client(world, book, number, stop, args.seed) for number in range(args.clients)]
    [client.start() for client in clients]
    calm = (args.calm_minutes if args.calm_minutes is not None else args.minutes / 3) * 60
    time.sleep(min(20, args.minutes * 6))
    book.phase = "storm"
    faults = run_faults(world, book, args, rng, book.begin + args.minutes * 60 - calm)
    book.phase = "calm"
    print(f"calm from {time.monotonic() - book.begin:.0f} s on", flush=True)
    time.sleep(calm)
    stop.set()
    [client.join(PATIENCE + 30) for client in clients]
    try:
        compare_with_ripgrep(world, book)
    finally:
        world.hob(world.projects[0], "stop", timeout=90)
    time.sleep(2)
    left = world.our_processes()
    if left:
        book.problem(f"processes are left: {left}")
    quiet = [point for point in book.series if point["phase"] == "calm" and point["at"] > args.minutes * 60 - calm * 2 / 3]
    quiet = [point for point in quiet if point["pid"] == quiet[-1]["pid"]]
    slopes = {name: slope(quiet, name) for name in ("rss", "descriptors", "threads", "disk")}
    times = {phase: quantiles(book.times[phase]) for phase in book.times}
    (out / "faults.md").write_text(fault_table(faults))
    for name, unit in (("rss", "MiB"), ("descriptors", "open"), ("threads", "threads"), ("disk", "MB")):
        plot(book.series, name, unit, faults, out / f"{name}.svg")
    report = {"seed": args.seed, "counts": book.counts, "problems": book.problems, "slopes_per_minute": slopes, "latency_ms": times,
              "slow_steps": book.slow, "faults": faults}
    (out / "soak.json").write_text(json.dumps(report, indent=1))
    print(fault_table(faults))
    print("answers:", json.dumps(dict(sorted(book.counts.items()))))
    print("latency of a client's step, ms:", json.dumps(times))
    print("slopes by minute in the calm part:", json.dumps(slopes))
    print(f"{len(faults)} faults, {len(book.problems)} problems")
    if getattr(world, "disk", None):
        subprocess.run(["umount", "-l", str(world.hob_dir)])
    if not args.keep and not book.problems:
        shutil.rmtree(world.base, ignore_errors=True)
    sys.exit(1 if book.problems else 0)


if __name__ == "__main__":
    main()
