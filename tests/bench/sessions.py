"""Clients of hob with files of their own, and what they share: for soak.py and storm.py.

Every client owns one file and writes numbered marks into it; each answer about it must be of the last mark, or say that it may not be
fresh, or be an error. So a wrong, stale or lost answer is seen at once, whatever else happens to the daemon or to the tree.
"""
import json
import os
import queue
import random
import re
import subprocess
import tempfile
import threading
import time
from pathlib import Path

PATIENCE = 60.0
"""Longest time for one call, in seconds; faults stop the daemon for less."""
SLOW = 5.0
"""Seconds from which on a client's step is told one by one."""


class Gone(Exception):
    """The shim ended, or did not answer in time."""


class Session:
    """Questions over JSON-RPC to a program that another thread reads into `self.messages`; None there means that it ended."""

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
                raise Gone("the program ended")
            if message.get("id") == number and "method" not in message:
                return message
            if "method" in message and "id" in message:
                self._send({"jsonrpc": "2.0", "id": message["id"], **self.ANSWER})


class Shim(Session):
    """One MCP session over hob-mcp."""

    ANSWER = {"error": {"code": -32601, "message": "not offered"}}

    def __init__(self, world, root):
        command = [world.program("hob-mcp"), "--tools", "all", "--edits", "--format", "json"]
        self.process = subprocess.Popen(command, cwd=root, env=world.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.messages = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.next = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _read(self):
        for line in self.process.stdout:
            try:
                self.messages.put(json.loads(line))
            except ValueError:
                break  # it ended in the middle of a line
        self.messages.put(None)

    def _send(self, message):
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise Gone(str(error))

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


class Editor(Session):
    """One LSP session over hob-lsp."""

    ANSWER = {"result": None}

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
        self.has_server = self.install_server(Path(args.server or self.program("fake-lsp")))
        self.projects = [self.make_project(number) for number in range(args.projects)]
        self.locks = {root: Gate() for root in self.projects}

    def install_server(self, stand_in):
        """Puts a stand-in for a language server on the PATH of hob; it answers every question of one kind alike."""
        if not stand_in.is_file():
            return False
        folder = self.base / "bin"
        folder.mkdir()
        script = {"capabilities": {"hoverProvider": True}, "judges": {},
                  "then": [{"method": "window/logMessage", "params": {"type": 3, "message": "Found 120 source files"}}],
                  "answers": {"textDocument/hover": [{"result": {"contents": "stand-in"}}]}}
        server = folder / "pyright-langserver"
        server.write_text(f"#!/bin/sh\ncase \"$1\" in --version|version) echo 'Version 9.0.0'; exit 0;; esac\n"
                          f"exec '{stand_in.resolve()}' '{json.dumps(script)}'\n")
        server.chmod(0o755)
        self.env["PATH"] = f"{folder}:{self.env['PATH']}"
        return True

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

    def servers(self):
        """The language servers of the daemon; their environment does not tell whose they are, but their ancestors do."""
        parents = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    name, rest = (entry / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
                    parents[int(entry.name)] = (int(rest.split()[1]), name)
                except OSError:
                    continue
        daemon, found = self.daemon_pid(), []
        for pid, (above, name) in parents.items():
            while name == "fake-lsp" and above not in (0, 1, daemon):
                above = parents.get(above, (0, ""))[0]
            if name == "fake-lsp" and above == daemon:
                found.append(pid)
        return sorted(found)

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
        self.under_way = None
        self.slow = []
        self.begin = time.monotonic()

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def problem(self, what):
        with self.lock:
            self.problems.append(f"{time.monotonic() - self.begin:.1f} s: {what}")
            print("PROBLEM", self.problems[-1][:600], flush=True)

    def took(self, seconds, who, fault):
        """Notes the time of a client's step; of a slow one also who took it and the fault that was under way when it began."""
        with self.lock:
            self.times[self.phase].append(seconds)
            if seconds > SLOW:
                at = time.monotonic() - self.begin
                self.slow.append({"at": at, "took": seconds, "who": who, "began_in": fault, "ended_in": self.under_way})


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
        self.doing = ""

    def run(self):
        while not self.stop.is_set():
            gate = self.world.locks[self.root]
            gate.enter()
            try:
                begin, fault = time.monotonic(), self.book.under_way
                self.step()
                self.book.took(time.monotonic() - begin, f"{self.kind}: {self.doing}", fault)
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
        self.doing = self.kind
        if self.kind == "cli":
            return self.from_cli()
        if self.session is None:
            self.session = (Shim if self.kind == "shim" else Editor)(self.world, self.root)
        if self.kind == "editor":
            return self.from_editor()
        steps = [self.search, self.search, self.in_map, self.counted, self.edited, self.big]
        step = self.rng.choice(steps + [self.of_server] * self.world.has_server)
        self.doing = step.__name__
        step()

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

    def of_server(self):
        """An answer of the language server, or the reason why there is none."""
        self.write()
        envelope = self.session.call("nav_type", {"target": f"{self.file}:2:6"})
        if envelope.get("ok") and "stand-in" not in json.dumps(envelope.get("data")):
            return self.book.count("of the map, in place of the server")
        self.book.count("of the server" if envelope.get("ok") else "error " + str(envelope.get("error", {}).get("code")))

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


def quantiles(times):
    times = sorted(times)
    at = lambda share: times[min(len(times) - 1, int(share * len(times)))] * 1000 if times else float("nan")
    return {"n": len(times), "p50": at(0.5), "p99": at(0.99), "worst": at(1.0)}


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
