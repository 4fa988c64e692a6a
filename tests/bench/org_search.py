"""Whether hob and a Zoekt server find the same lines of the same repositories.

    org_search.py HOB ZOEKT TREE NAME [--count N] [--seed S]
    org_search.py --record FILE ZOEKT PORT

TREE is a folder that ZOEKT (http://127.0.0.1:6070, started with -rpc) has indexed under NAME. The same regexes are asked of HOB in TREE, and
of HOB with in: "org" in an empty folder, so that every line of the second answer comes from the server. The lines must be the same; those of
files that only one side has (Zoekt leaves out large and binary files, hob leaves out what is ignored) are counted apart. Patterns are those below
and N words of TREE, drawn by S, alone and within what regexes are made of. Prints each difference, and at last the numbers.

With --record, this is a proxy on PORT before ZOEKT that appends each question and its answer to FILE, as the end-to-end tests play them back.
"""
import argparse
import collections
import http.server
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

PATTERNS = [
    r"TODO", r"(?i)todo", r"\bself\b", r"\breturn\s+\w+\(", r"^import ", r"^\s*def \w+\(self", r"[A-Z]{4,}_[A-Z]+", r"\d{4}-\d{2}", r"=>\s*\{$", r"[^\x00-\x7F]",
    r"(?i:get)[A-Z]\w+", r"fn\s+\w+<", r"\bclass \w+\(\w+\):", r"[fF]oo|[bB]ar", r"\w+\.\w+\.\w+\(", r"a{2,3}b?c*d", r"(error|warning): ", r"\)\s*;$", r"\"[^\"]{30,}\"",
    r"(?x) raise \s+ \w+ Error", r"\.\.\.", r"\$\{?\w+", r"https?://[^\s\"']+", r"[[:upper:]][[:lower:]]+Error\b", r"\p{Lu}\p{Ll}+Exception", r"(?-u:\b)async(?-u:\b)",
    r"\Bing\b", r"#\[", r"\\n", r"(a|e|i|o|u){4}", r"x.{0,5}y.{0,5}z", r"[a-z&&[^aeiou]]{7}", r"(?s)foo.bar|baz$", r"\t\t\w",
]
FRAMES = ["{}", r"\b{}\b", "(?i){}", "{}\\w", r"\.{}\(", "^.*{}", r"{}\s*="]


def record(path, zoekt, port):
    class Proxy(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                answer = urllib.request.urlopen(urllib.request.Request(zoekt + self.path, body)).read()
                status = 200
            except urllib.error.HTTPError as error:
                answer, status = error.read(), error.code
            if status == 200:
                line = {"path": self.path, "q": json.loads(body)["Q"], "answer": answer.decode()}
                with open(path, "a") as file:
                    file.write(json.dumps(line) + "\n")
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    http.server.ThreadingHTTPServer(("127.0.0.1", port), Proxy).serve_forever()


class Hob:
    def __init__(self, program, zoekt):
        self.program = program
        self.folder = tempfile.mkdtemp(prefix="org")
        os.makedirs(os.path.join(self.folder, "config"))
        with open(os.path.join(self.folder, "config", "config.toml"), "w") as file:
            file.write(f'[org]\nurl = "{zoekt}"\ntimeout_ms = 60000\n')
        self.empty = os.path.join(self.folder, "nothing")
        os.makedirs(os.path.join(self.empty, ".git"))

    def run(self, *args):
        env = {**os.environ, "HOB_DIR": self.folder}
        return subprocess.run([self.program, *args], capture_output=True, text=True, env=env)

    def lines(self, folder, pattern, *more):
        """The lines by file, or the error; and the seconds that it took."""
        begun = time.time()
        args = ["--root", folder, "call", "regex_search", "--json", "pattern=" + pattern, "max_millis=60000", "limit=10000", "tokenBudget=1000000", *more]
        got = self.run(*args)
        took = time.time() - begun
        answer = json.loads(got.stdout or "{}")
        if not answer.get("ok"):
            return None, answer.get("error") or got.stderr, took
        found = collections.defaultdict(set)
        for hit in answer["data"]["matches"]:
            found[hit["file"]].add((hit["line"], hit["col"], hit["text"]))
        return found, answer, took


def words_of(tree, count, seed):
    seen = collections.Counter()
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names)[:50]:
            try:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    seen.update(set(re.findall(r"[^\W\d]\w{3,}", file.read(200_000))))
            except (OSError, UnicodeDecodeError):
                pass
    rare = sorted(word for word, files in seen.items() if files < 40)
    chance = random.Random(seed)
    return [chance.choice(FRAMES).replace("{}", word) for word in chance.sample(rare, min(count, len(rare)))]


def compare(args):
    hob = Hob(args.hob, args.zoekt)
    prefix = args.name + "/"
    totals = collections.Counter()
    seconds = [0.0, 0.0]
    for pattern in PATTERNS + words_of(args.tree, args.count, args.seed):
        here, why_here, took_here = hob.lines(args.tree, pattern)
        there, why_there, took_there = hob.lines(hob.empty, pattern, "in=org", "paths=" + json.dumps([args.name]))
        if here is None or there is None:
            totals["refused"] += 1
            print(f"refused  {pattern!r}: {why_here if here is None else why_there}"[:300])
            continue
        seconds[0] += took_here
        seconds[1] += took_there
        there = {file.removeprefix(prefix): lines for file, lines in there.items()}
        whole = why_here["data"]["complete"] and why_there["data"]["complete"] and not why_here["truncated"] and not why_there["truncated"]
        totals["patterns"] += 1
        if not whole or sum(map(len, here.values())) >= 10_000:
            totals["not whole"] += 1
            continue
        totals["lines"] += sum(map(len, here.values()))
        only_here = {file: lines for file, lines in here.items() if file not in there}
        only_there = {file: lines for file, lines in there.items() if file not in here}
        differs = [file for file in here if file in there and here[file] != there[file]]
        totals["same"] += not (only_here or only_there or differs)
        for file in differs:
            totals["lines that differ"] += 1
            print(f"differs  {pattern!r} {file}: here {sorted(here[file] - there[file])[:2]}, there {sorted(there[file] - here[file])[:2]}"[:400])
        for side, files in (("only here", only_here), ("only there", only_there)):
            if files:
                totals["files " + side] += len(files)
                print(f"{side}  {pattern!r}: {sorted(files)[:4]}"[:300])
    hob.run("stop")
    print(dict(totals), f"seconds here {seconds[0]:.1f}, there {seconds[1]:.1f}")
    return 1 if totals["lines that differ"] else 0


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "--record":
        return record(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    parser = argparse.ArgumentParser(usage=__doc__)
    for name in ("hob", "zoekt", "tree", "name"):
        parser.add_argument(name)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    return compare(parser.parse_args())


sys.exit(main())
