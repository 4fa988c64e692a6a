"""Whether `nav_references` says `complete` only when it is, on a workspace of several projects.

    completeness.py HOB TREE ts|py [NAMES] [SEED] [-- SERVER ARGS...]

Asks HOB about exported names of TREE, drawn by SEED, and compares each answer with what is known without it:

- `ts`: what the language server SERVER lists when every source file of the tree is open in it;
- `py`: the files with an import statement that names the definition by its module.

Prints one line for each name that is not complete or not equal, and the counts at the end. The exit code is 1 if any answer was
complete and short. hob's own language servers come from PATH. Nothing in TREE is changed.
"""
import ast
import json
import os
import random
import re
import subprocess
import sys
import threading
import time

SOURCES = {"ts": (".ts", ".tsx", ".mts", ".cts"), "py": (".py",)}
EXPORTED = {
    "ts": re.compile(r"export (?:async )?(?:const|function|class|type|interface|enum) (\w+)"),
    "py": re.compile(r"(?:class|(?:async )?def) ([A-Za-z]\w{6,})"),
}


def source_files(tree, language):
    for folder, below, files in os.walk(tree):
        below[:] = sorted(name for name in below if name != "node_modules" and not name.startswith("."))
        for name in sorted(files):
            if name.endswith(SOURCES[language]) and not name.endswith(".d.ts"):
                yield os.path.relpath(os.path.join(folder, name), tree)


def read(tree, file):
    with open(os.path.join(tree, file), errors="replace") as text:
        return text.read()


def exported_names(tree, language, files):
    """Definitions at the start of a line as (file, line, col, name); tests aside, names that are defined once."""
    found = {}
    for file in files:
        if re.search(r"(^|/)tests?/|\.test\.|\.spec\.|_pb2|fixtures", file):
            continue
        for number, line in enumerate(read(tree, file).splitlines(), 1):
            match = EXPORTED[language].match(line)
            if match:
                found.setdefault(match.group(1), []).append((file, number, match.start(1) + 1, match.group(1)))
    return [places[0] for places in found.values() if len(places) == 1]


class Server:
    """A language server that is talked to directly."""

    def __init__(self, command, tree):
        self.tree = os.path.realpath(tree)
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet, cwd=tree
        )
        self.answers, self.arrived, self.last = {}, threading.Condition(), 0
        threading.Thread(target=self.listen, daemon=True).start()
        uri = "file://" + self.tree
        self.ask("initialize", {
            "processId": os.getpid(),
            "rootUri": uri,
            "workspaceFolders": [{"uri": uri, "name": "tree"}],
            "capabilities": {"workspace": {"configuration": True}},
        })
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def listen(self):
        stream = self.process.stdout
        while True:
            length = 0
            while (line := stream.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length"):
                    length = int(line.split(b":")[1])
            if length == 0:
                return
            message = json.loads(stream.read(length))
            if "method" in message and "id" in message:
                asked = message.get("params") or {}
                self.send({"id": message["id"], "result": [None] * len(asked.get("items", [])) or None})
            elif "id" in message:
                with self.arrived:
                    self.answers[message["id"]] = message
                    self.arrived.notify_all()

    def ask(self, method, params):
        self.last += 1
        number = self.last
        self.send({"id": number, "method": method, "params": params})
        with self.arrived:
            if not self.arrived.wait_for(lambda: number in self.answers, 300):
                sys.exit(f"the server did not answer {method}")
            return self.answers.pop(number).get("result")

    def open(self, file):
        language = "typescriptreact" if file.endswith("x") else "typescript"
        document = {"uri": f"file://{self.tree}/{file}", "languageId": language, "version": 1}
        document["text"] = read(self.tree, file)
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def references(self, place):
        file, line, col, _ = place
        return self.ask("textDocument/references", {
            "textDocument": {"uri": f"file://{self.tree}/{file}"},
            "position": {"line": line - 1, "character": col - 1},
            "context": {"includeDeclaration": False},
        }) or []

    def stop(self):
        self.process.kill()
        self.process.wait()


def importers(tree, files):
    """For each imported name the (file, module) pairs of its import statements."""
    found = {}
    for file in files:
        try:
            parsed = ast.parse(read(tree, file))
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(parsed):
            if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                for alias in node.names:
                    found.setdefault(alias.name, set()).add((file, node.module))
    return found


def asked(hob, tree, place):
    file, line, col, _ = place
    question = {"file": file, "line": line, "col": col, "tokenBudget": 10000}
    command = [hob, "call", "--json", "nav_references", json.dumps(question)]
    said = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=600)
    try:
        return json.loads(said.stdout)
    except ValueError:
        return {"ok": False, "error": {"message": (said.stdout + said.stderr)[:300]}}


def main():
    arguments, command = sys.argv[1:], []
    if "--" in arguments:
        cut = arguments.index("--")
        arguments, command = arguments[:cut], arguments[cut + 1:]
    hob, tree, language = arguments[:3]
    count, seed = (int(number) for number in (arguments[3:] + ["50", "1"])[:2])
    files = list(source_files(tree, language))
    places = exported_names(tree, language, files)
    statements = importers(tree, files) if language == "py" else {}
    if language == "py":
        places = [place for place in places if place[3] in statements]
    random.Random(seed).shuffle(places)
    places = places[:count]
    began = time.monotonic()
    answers = [asked(hob, tree, place) for place in places]
    seconds = time.monotonic() - began
    server = Server(command, tree) if command else None
    for file in files if server else []:
        server.open(file)
    equal = short = longer = partial = failed = 0
    for place, answer in zip(places, answers):
        data = answer.get("data") or {}
        total, name = data.get("total"), f"{place[0]}:{place[1]} {place[3]}"
        if server:
            truth = len(server.references(place))
            lacks = truth > (total or 0)
            more = truth < (total or 0)
        else:
            module = os.path.splitext(place[0])[0].removesuffix("/__init__").replace("/", ".")
            wanted = {file for file, named in statements[place[3]] if ("." + module).endswith("." + named)}
            listed = {one["file"] for one in data.get("locations", [])}
            truth, lacks, more = len(wanted), bool(wanted - listed) and not answer.get("truncated"), False
        if not answer.get("ok"):
            failed += 1
            print("error", name, answer["error"])
        elif data.get("completeness") != "complete":
            partial += 1
            reasons = [said for said in answer.get("warnings") or [""] if "restricted" not in said]
            print(data.get("completeness"), name, total, truth, (reasons or [""])[0][:160])
        elif lacks:
            short += 1
            print("SHORT", name, total, truth)
        elif more:
            longer += 1
            print("more", name, total, truth)
        else:
            equal += 1
    if server:
        server.stop()
    print(f"{len(places)} names in {seconds:.0f} s: {equal} complete and equal, {longer} complete with more, "
          f"{short} complete and short, {partial} not called complete, {failed} errors")
    sys.exit(1 if short else 0)


if __name__ == "__main__":
    main()
