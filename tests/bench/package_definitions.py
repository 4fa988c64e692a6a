"""Whether a name that comes from a dependency leads to the line in the dependency's source that a language server gives.

    package_definitions.py HOB TREE py|ts|rust|go|c|cpp TRUTH [COUNT] [SEED] [--misses] [-- SERVER ARGS...]

TREE is a project with its dependencies installed. Names of its source files, tests apart, are drawn by SEED, and SERVER is asked where each is defined,
until COUNT (50) of them lie in a dependency; no name and target counts more than three times. What it said is kept in the file TRUTH, and
SERVER is not needed where that file is there. HOB is asked the same with an empty search path, so that no language server answers it, and
a daemon of its own.

Standard libraries do not count, nor the types of Node, except in C and C++, where headers below /usr count as dependencies. Prints how many lead to the same line (recall), how many lead to another place in
a dependency (wrong), and how many lead nowhere or only to an import; `--misses` prints the last two. Nothing in TREE is changed.
"""
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from urllib.parse import unquote

from completeness import Server, read

ENDINGS = {"py": (".py",), "ts": (".ts", ".tsx"), "rust": (".rs",), "go": (".go",), "c": (".c",), "cpp": (".cc", ".cpp", ".cxx")}
LANGUAGES = {"py": "python", "ts": "typescript", "rust": "rust", "go": "go", "c": "c", "cpp": "cpp"}
APART = {"node_modules", "vendor", "target", "dist", "build", "__pycache__"}
DEPENDENCY = {
    "py": re.compile(r"/site-packages/(?!(?:based)?pyright/)"),
    "ts": re.compile(r"^(?!.*/node_modules/(?:typescript/lib|@types/node/|undici-types/)).*/node_modules/"),
    "rust": re.compile(r"/registry/src/|/vendor/"),
    "go": re.compile(r"/vendor/|/pkg/mod/"),
    "c": re.compile(r"^/usr/"),
    "cpp": re.compile(r"^/usr/"),
}
WORD = re.compile(r"[A-Za-z_]\w*")
STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|`[^`]*`|'(?:[^'\\]|\\.)*'")
TEST = re.compile(r"(^|/)(tests?|__tests__|__mocks__|__fixtures__)/|\.(test|spec)\.|_test\.|(^|/)(test_|conftest)")
WAIT = {"py": 8, "ts": 8, "rust": 60, "go": 20, "c": 4, "cpp": 8}


class Oracle(Server):
    """A language server that says where names are defined."""

    def __init__(self, command, tree, language):
        self.language = language
        super().__init__(command, tree)

    def ask(self, method, params):
        if method == "initialize":
            params["capabilities"]["textDocument"] = {"declaration": {}, "definition": {}}
            params["initializationOptions"] = self.options()
        return super().ask(method, params)

    def options(self):
        if self.language != "rust":
            return {}
        sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True).stdout.strip()
        still = {"enable": False}
        return {"cargo": {"sysroot": sysroot, "buildScripts": still}, "procMacro": still, "checkOnSave": False}

    def open(self, file):
        document = {"uri": f"file://{self.tree}/{file}", "languageId": LANGUAGES[self.language], "version": 1}
        document["text"] = read(self.tree, file)
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def definitions(self, file, line, col):
        position = {"textDocument": {"uri": f"file://{self.tree}/{file}"}, "position": {"line": line, "character": col}}
        said = self.ask("textDocument/definition", position) or []
        said = said if isinstance(said, list) else [said]
        places = [(one.get("uri") or one["targetUri"], one.get("range") or one["targetSelectionRange"]) for one in said]
        return [(unquote(uri.removeprefix("file://")), span["start"]["line"] + 1) for uri, span in places]


def sources(tree, language):
    for folder, below, files in os.walk(tree):
        below[:] = sorted(name for name in below if name not in APART and not name.startswith("."))
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name), tree)
            if name.endswith(ENDINGS[language]) and not name.endswith(".d.ts") and not TEST.search(path):
                yield path


def blank(text, language):
    """A string without its words; in Rust a quote may begin a lifetime."""
    return text if language == "rust" and text.startswith("'") else " " * len(text)


def candidates(tree, language):
    for file in sources(tree, language):
        for number, line in enumerate(read(tree, file).splitlines()):
            if not line.lstrip().startswith(("#", "//", "*", "/*")) and line.isascii():
                line = STRING.sub(lambda text: blank(text.group(), language), line)
                yield from ((file, number, match.start(), match.group()) for match in WORD.finditer(line))


def find_truth(tree, language, count, seed, command):
    server = Oracle(command, tree, language)
    places = list(candidates(tree, language))
    random.Random(seed).shuffle(places)
    opened, times, truth = set(), collections.Counter(), []
    server.open(places[0][0])
    opened.add(places[0][0])
    time.sleep(WAIT[language])
    for file, line, col, name in places:
        if len(truth) == count:
            break
        if file not in opened:
            server.open(file)
            opened.add(file)
        found = [place for place in server.definitions(file, line, col) if DEPENDENCY[language].search(place[0])]
        if found and times[name, found[0]] < 3:
            times[name, found[0]] += 1
            truth.append({"file": file, "line": line + 1, "col": col + 1, "name": name, "places": found})
    server.stop()
    return truth


def normal(path, language):
    """A path that is the same wherever a manager keeps the package."""
    path = os.path.realpath(path)
    if language != "go":
        return path
    below = re.split(r"/vendor/|/pkg/mod/", path)[-1]
    return re.sub(r"!(\w)", lambda match: match.group(1).upper(), re.sub(r"@[^/]+", "", below))


def ask_hob(hob, tree, place, environment):
    question = {key: place[key] for key in ("file", "line", "col")}
    command = [hob, "call", "--json", "nav_definition", json.dumps(question)]
    said = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=120, env=environment)
    try:
        answer = json.loads(said.stdout)
    except ValueError:
        return [], (said.stdout + said.stderr)[:200]
    data = answer.get("data") or {}
    notes = "; ".join(answer.get("warnings", []) + [(answer.get("error") or {}).get("message", "")])
    return [(one["file"], one["line"]) for one in data.get("locations", []) if one.get("external")], notes


def judge(hob, tree, language, truth, shows_misses):
    outcomes = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, HOB_DIR=folder, PATH=os.path.join(folder, "nowhere"))
        for place in truth:
            wanted = {(normal(file, language), line) for file, line in place["places"]}
            said, notes = ask_hob(hob, tree, place, environment)
            found = {(normal(file, language), line) for file, line in said}
            outcome = "right" if found & wanted else "wrong" if found else "nowhere"
            outcomes[outcome] += 1
            if shows_misses and outcome != "right":
                print(f"{outcome}: {place['file']}:{place['line']}:{place['col']} {place['name']}")
                print(f"  server: {sorted(wanted)}\n  hob:    {sorted(found)} {notes[:300]}")
        subprocess.run([hob, "stop"], env=environment, capture_output=True)
    return outcomes


def main():
    words, command = sys.argv[1:], []
    if "--" in words:
        at = words.index("--")
        words, command = words[:at], words[at + 1:]
    shows_misses = "--misses" in words
    hob, tree, language, kept, *rest = [word for word in words if word != "--misses"]
    hob = os.path.abspath(hob)
    count, seed = (int(word) for word in (rest + ["50", "1"][len(rest):])[:2])
    if not os.path.exists(kept):
        with open(kept, "w") as file:
            json.dump(find_truth(tree, language, count, seed, command), file, indent=1)
    with open(kept) as file:
        truth = json.load(file)
    outcomes = judge(hob, tree, language, truth, shows_misses)
    total = max(1, sum(outcomes.values()))
    print(f"{tree}: {total} names: {outcomes['right']} right ({outcomes['right'] / total:.3f}), "
          f"{outcomes['wrong']} wrong, {outcomes['nowhere']} nowhere")


if __name__ == "__main__":
    main()
