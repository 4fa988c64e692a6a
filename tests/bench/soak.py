"""Soaks hob: many clients on many projects for as long as one wants, while faults are injected; then looks at what is left.

    python3 tests/bench/soak.py --programs target/release --minutes 60 --clients 64 --projects 12 --faults 500

Every client owns one file and writes numbered marks into it; each answer about it must be of the last mark, or say that it may not be
fresh, or be an error. So a wrong, stale or lost answer is seen at once, whatever else happens to the daemon. The faults are drawn from a
seed and done one after the other; after each the time is taken until a new client has a right answer. The last part of the run is without
faults: there memory, descriptors, threads and disk must not grow. Writes `soak.json`, `faults.md` and plots as SVG into --out.

Needs ripgrep on the PATH for the last comparison. Faults that need rights which are missing are left out, and said.
"""
import argparse
import ctypes
import json
import mmap
import os
import queue
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

PATIENCE = 60.0
"""Longest time for one call, in seconds; the faults stop the daemon for less."""
RECOVERS = 45.0
"""Longest time after a fault within which a new client has to have a right answer."""


class Gone(Exception):
    """The shim ended, or did not answer in time."""


class Shim:
    """One MCP session over hob-mcp."""

    def __init__(self, world, root):
        command = [world.program("hob-mcp"), "--tools", "all", "--edits", "--format", "json"]
        self.process = subprocess.Popen(command, cwd=root, env=world.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.next = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _send(self, message):
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise Gone(str(error))

    def ask(self, method, params):
        self.next += 1
        number = self.next
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        end = time.monotonic() + PATIENCE
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise Gone(f"no answer within {PATIENCE} s")
            if line is None:
                raise Gone("the shim ended")
            message = json.loads(line)
            if message.get("id") == number and "method" not in message:
                return message
            if "method" in message and "id" in message:
                self._send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "not offered"}})

    def call(self, tool, arguments):
        """The envelope of the answer."""
        message = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if "error" in message:
            return {"ok": False, "error": message["error"]}
        content = message["result"].get("structuredContent")
        return content if content is not None else json.loads(message["result"]["content"][0]["text"])

    def close(self):
        try:
            self.process.stdin.close()
        except (BrokenPipeError, OSError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Editor:
    """One LSP session over hob-lsp."""

    def __init__(self, world, root):
        self.root = Path(root)
        self.process = subprocess.Popen([world.program("hob-lsp")], cwd=root, env=world.env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.messages = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.next = 0
        self.version = 0
        self.opened = False
        self.ask("initialize", {"processId": os.getpid(), "rootUri": self.root.as_uri(), "capabilities": {}})
        self.tell("initialized", {})

    def _read(self):
        out = self.process.stdout
        while True:
            size = 0
            while True:
                line = out.readline()
                if not line:
                    self.messages.put(None)
                    return
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
                if line == b"\r\n":
                    break
            self.messages.put(json.loads(out.read(size)))

    def _send(self, message):
        body = json.dumps(message).encode()
        try:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise Gone(str(error))

    def tell(self, method, params):
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method, params):
        self.next += 1
        number = self.next
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        end = time.monotonic() + PATIENCE
        while True:
            try:
                message = self.messages.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise Gone(f"no answer within {PATIENCE} s")
            if message is None:
                raise Gone("hob-lsp ended")
            if message.get("id") == number and "method" not in message:
                return message
            if "method" in message and "id" in message:
                self._send({"jsonrpc": "2.0", "id": message["id"], "result": None})

    def type_text(self, file, text):
        uri = (self.root / file).as_uri()
        self.version += 1
        if not self.opened:
            self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": self.version, "text": text}})
            self.opened = True
        else:
            change = {"textDocument": {"uri": uri, "version": self.version}, "contentChanges": [{"text": text}]}
            self.tell("textDocument/didChange", change)
        return uri

    def close(self):
        try:
            self.ask("shutdown", None)
            self.tell("exit", None)
            self.process.wait(20)
        except (Gone, subprocess.TimeoutExpired):
            self.process.kill()


class World:
    """The programs, a folder for hob's files, and the projects."""

    def __init__(self, args):
        self.programs = Path(args.programs).resolve()
        self.ripgrep = args.rg
        self.base = Path(tempfile.mkdtemp(prefix="hob-soak-"))
        self.hob_dir = self.base / "h"
        self.hob_dir.mkdir()
        kept = ("PATH", "HOME", "USER", "LANG", "TERM", "TMPDIR")
        self.env = {name: value for name, value in os.environ.items() if name in kept}
        self.env.update(HOB_DIR=str(self.hob_dir), GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL="/dev/null")
        self.projects = [self.make_project(number) for number in range(args.projects)]
        self.locks = {root: Gate() for root in self.projects}

    def program(self, name):
        return str(self.programs / name)

    def hob(self, root, *arguments, timeout=PATIENCE):
        done = subprocess.run([self.program("hob"), *arguments], cwd=root, env=self.env, capture_output=True, text=True, timeout=timeout)
        return done.returncode, done.stdout

    def make_project(self, number):
        root = self.base / f"p{number:02}"
        rng = random.Random(number)
        for file in range(120):
            folder = root / f"d{file % 9}" / f"e{file % 4}"
            folder.mkdir(parents=True, exist_ok=True)
            names = [f"work_{number}_{file}_{part}" for part in range(8)]
            calls = "\n".join(f"def {name}(x):\n    return work_{number}_{rng.randrange(120)}_{rng.randrange(8)}(x)\n" for name in names)
            (folder / f"m{file}.py").write_text(calls)
        git = lambda *words: subprocess.run(["git", "-c", "user.name=s", "-c", "user.email=s@x", *words], cwd=root, env=self.env,
                                            check=True, capture_output=True)
        git("init", "-q", "-b", "main")
        (root / ".gitignore").write_text("ignored/\n")
        git("add", "-A")
        git("commit", "-qm", "one")
        git("checkout", "-qb", "other")
        for file in range(0, 120, 3):
            path = root / f"d{file % 9}" / f"e{file % 4}" / f"m{file}.py"
            path.write_text(path.read_text() + f"\ndef other_{number}_{file}():\n    return 1\n")
        git("add", "-A")
        git("commit", "-qm", "two")
        git("checkout", "-q", "main")
        (root / "own").mkdir()
        return str(root)

    def daemon_pid(self):
        try:
            text = (self.hob_dir / "state" / "alive.json").read_text()
            pid = json.loads(text)["pid"]
            name = Path(f"/proc/{pid}/comm").read_text().strip()
            return pid if name.startswith("hobd") else None
        except (OSError, ValueError, KeyError):
            return None

    def our_processes(self):
        """Processes that were started with this world's folder, by number."""
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if f"HOB_DIR={self.hob_dir}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found[int(entry.name)] = (entry / "comm").read_text().strip()
            except OSError:
                continue
        return found


class Gate:
    """Many clients, or one fault alone."""

    def __init__(self):
        self.condition = threading.Condition()
        self.users = 0
        self.alone = False

    def enter(self):
        with self.condition:
            self.condition.wait_for(lambda: not self.alone)
            self.users += 1

    def leave(self):
        with self.condition:
            self.users -= 1
            self.condition.notify_all()

    def __enter__(self):
        with self.condition:
            self.condition.wait_for(lambda: not self.alone)
            self.alone = True
            self.condition.wait_for(lambda: self.users == 0)

    def __exit__(self, *_):
        with self.condition:
            self.alone = False
            self.condition.notify_all()


class Book:
    """What was seen, by all threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = {}
        self.problems = []
        self.times = {"calm": [], "storm": []}
        self.series = []
        self.phase = "calm"
        self.begin = time.monotonic()

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def problem(self, what):
        with self.lock:
            self.problems.append(f"{time.monotonic() - self.begin:.1f} s: {what}")
            print("PROBLEM", self.problems[-1][:600], flush=True)

    def took(self, seconds):
        with self.lock:
            self.times[self.phase].append(seconds)


class Client(threading.Thread):
    """One client with one file of its own."""

    def __init__(self, world, book, number, stop, seed):
        super().__init__(daemon=True)
        self.world, self.book, self.number, self.stop = world, book, number, stop
        self.root = world.projects[number % len(world.projects)]
        self.kind = ("shim", "shim", "shim", "cli", "editor")[number % 5]
        self.rng = random.Random(seed * 1000 + number)
        self.file = f"own/c{number}.py"
        self.mark = 0
        self.session = None

    def run(self):
        while not self.stop.is_set():
            gate = self.world.locks[self.root]
            gate.enter()
            try:
                begin = time.monotonic()
                self.step()
                self.book.took(time.monotonic() - begin)
            except Gone as gone:
                self.book.count("session lost")
                if "within" in str(gone):
                    self.book.problem(f"client {self.number} ({self.kind}): {gone}")
                self.drop()
            except subprocess.TimeoutExpired:
                self.book.problem(f"client {self.number}: hob gave no answer within {PATIENCE} s")
            except Exception as error:  # whatever it is, it is told and the others go on
                self.book.problem(f"client {self.number} ({self.kind}): {type(error).__name__} {error}")
                self.drop()
            finally:
                gate.leave()
            time.sleep(self.rng.uniform(0.05, 0.6))
        if self.session:
            self.session.close()

    def drop(self):
        if self.session:
            self.session.process.kill()
            self.session.process.wait()
        self.session = None

    def text(self):
        return f"# mark_{self.number}_{self.mark}_end\ndef own_{self.number}_{self.mark}():\n    return {self.mark}\n"

    def write(self):
        self.mark += 1
        (Path(self.root) / self.file).write_text(self.text())

    def step(self):
        if self.kind == "cli":
            return self.from_cli()
        if self.session is None:
            self.session = (Shim if self.kind == "shim" else Editor)(self.world, self.root)
        if self.kind == "editor":
            return self.from_editor()
        self.rng.choice([self.search, self.search, self.in_map, self.counted, self.edited, self.big])()

    def judge(self, envelope, seen, expected, what):
        """Compares what an answer says with what the file says."""
        if not envelope.get("ok"):
            return self.book.count("error " + str(envelope.get("error", {}).get("code")))
        if seen == expected:
            return self.book.count("right")
        warnings = json.dumps(envelope.get("warnings", []))
        if "Not fresh" in warnings or "could not be read just now" in warnings or envelope.get("data", {}).get("complete") is False:
            return self.book.count("said that it is not fresh")
        self.book.count("WRONG")
        self.book.problem(f"client {self.number}, {what}: {seen} and not {expected}: {json.dumps(envelope)[:900]}")

    def search(self):
        self.write()
        envelope = self.session.call("regex_search", {"pattern": f"mark_{self.number}_\\d+_end", "max_millis": 30000})
        seen = sorted(set(re.findall(rf"mark_{self.number}_(\d+)_end", json.dumps(envelope.get("data", {}).get("matches")))))
        self.judge(envelope, seen, [str(self.mark)], "regex_search")

    def in_map(self):
        self.write()
        envelope = self.session.call("map_search", {"query": f"own_{self.number}_{self.mark}", "limit": 3})
        seen = f"own_{self.number}_{self.mark}" in json.dumps(envelope.get("data"))
        self.judge(envelope, seen, True, "map_search")

    def counted(self):
        self.write()
        patterns = [f"mark_{self.number}_{self.mark}_end", f"mark_{self.number}_{self.mark - 1}_end"]
        envelope = self.session.call("count_patterns", {"patterns": patterns, "max_millis": 30000})
        seen = [one.get("total_matches") for one in envelope.get("data", {}).get("patterns", [])]
        self.judge(envelope, seen, [1, 0], "count_patterns")

    def edited(self):
        """A previewed edit that is applied is in the file, and one that is refused is not."""
        self.write()
        before = self.text()
        made = self.session.call("edit_text", {"file": self.file, "old": f"return {self.mark}", "new": f"return {self.mark} + 0"})
        if not made.get("ok"):
            return self.book.count("error " + str(made.get("error", {}).get("code")))
        applied = self.session.call("resolve_action", {"action": "apply", "reason": "soak", "pendingId": made["data"]["pendingId"]})
        there = (Path(self.root) / self.file).read_text()
        after = before.replace(f"return {self.mark}", f"return {self.mark} + 0")
        if applied.get("ok") and there != after:
            self.book.problem(f"client {self.number}: an edit that was applied is not there: {there!r} {json.dumps(applied)[:500]}")
        elif not applied.get("ok") and there not in (before, after):
            self.book.problem(f"client {self.number}: half of an edit is there: {there!r}")
        self.book.count("edit applied" if applied.get("ok") else "error " + str(applied.get("error", {}).get("code")))

    def big(self):
        """An answer that is large; only that it comes is looked at."""
        envelope = self.session.call("regex_search", {"pattern": "def work", "tokenBudget": 10000, "limit": 5000})
        self.book.count("large answer" if envelope.get("ok") else "error " + str(envelope.get("error", {}).get("code")))

    def from_cli(self):
        self.write()
        code, out = self.world.hob(self.root, "--json", "call", "regex_search", "--pattern", f"mark_{self.number}_\\d+_end")
        if code == 2:
            return self.book.count("error of the command line")
        envelope = json.loads(out)
        seen = sorted(set(re.findall(rf"mark_{self.number}_(\d+)_end", json.dumps(envelope.get("data", {}).get("matches")))))
        self.judge(envelope, seen, [str(self.mark)], "hob call regex_search")

    def from_editor(self):
        self.mark += 1
        uri = self.session.type_text(self.file, self.text())
        said = self.session.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        if "error" in said:
            return self.book.count(f"error {said['error'].get('code')} of hob-lsp")
        names = [one["name"] for one in said["result"] or []]
        self.judge({"ok": True}, names, [f"own_{self.number}_{self.mark}"], "documentSymbol")


def kill(pid, number):
    try:
        os.kill(pid, number)
        return True
    except (ProcessLookupError, TypeError):
        return False


class Faults:
    """The kinds of faults. Each returns a word on what was done, or None where it could not be done."""

    def __init__(self, world, rng):
        self.world, self.rng = world, rng

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
        for name in ("pyright", "node", "ty", "pylsp"):
            if kill(self.process_named(name), signal.SIGKILL):
                return name
        return None

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
        disk = sum(path.stat().st_size for path in world.hob_dir.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6
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


def quantiles(times):
    times = sorted(times)
    at = lambda share: times[min(len(times) - 1, int(share * len(times)))] * 1000 if times else float("nan")
    return {"n": len(times), "p50": at(0.5), "p99": at(0.99), "worst": at(1.0)}


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


def compare_with_ripgrep(world, book):
    """At the end everything is as ripgrep says."""
    for root in world.projects:
        asked = ["def work_", "mark_", "def own_", "stash me"]
        code, out = world.hob(root, "--json", "call", "count_patterns", *[word for one in asked for word in ("--patterns", one)])
        try:
            ours = [one["total_matches"] for one in json.loads(out)["data"]["patterns"]]
        except (ValueError, KeyError):
            book.problem(f"the last question about {root} failed: {out[:300]}")
            continue
        found = [subprocess.run([world.ripgrep, "--count-matches", "--no-filename", one], cwd=root, capture_output=True, text=True).stdout.split()
                 for one in asked]
        theirs = [sum(int(number) for number in numbers) for numbers in found]
        if ours != theirs:
            book.problem(f"at the end hob counts {ours} in {root}, ripgrep {theirs}")


def run_faults(world, book, args, rng, until):
    faults, done = Faults(world, rng), []
    kinds = args.only or faults.kinds()
    pause = max(0.2, (until - time.monotonic()) / max(1, args.faults))
    while time.monotonic() < until and len(done) < args.faults:
        kind = rng.choice(kinds)
        began = time.monotonic()
        try:
            what = getattr(faults, "do_" + kind)()
        except (OSError, Gone) as error:
            what = None if isinstance(error, OSError) else str(error)
        recovered = after_fault(world, book) if what else None
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
    parser.add_argument("--out", default="soak")
    parser.add_argument("--keep", action="store_true", help="keep the folder with hob's files")
    args = parser.parse_args()
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    world, book, rng, stop = World(args), Book(), random.Random(args.seed), threading.Event()
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
    compare_with_ripgrep(world, book)
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
              "faults": faults}
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
