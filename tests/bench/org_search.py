"""Whether hob and a Zoekt server find the same lines of the same repositories.

    org_search.py HOB ZOEKT TREE NAME [--count N] [--seed S] [--paths A,B,!C]
    org_search.py --record FILE ZOEKT PORT

TREE is a folder that ZOEKT (http://127.0.0.1:6070, started with -rpc) has indexed under NAME. The same regexes are asked of HOB in TREE, and
of HOB with in: "org" in an empty folder, so that every line of the second answer comes from the server. Lines, columns and totals must be the
same; where an answer does not fit into its budget, files with their numbers of lines are compared. TREE must have no hidden, ignored, binary
or large files, which only one of the two has. Patterns are those below and N words of TREE, drawn by S, alone and within what regexes are
made of. With --paths, both are asked in this scope, and ZOEKT must have nothing but TREE. Prints each difference, and at last the numbers.

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

    def ask(self, folder, pattern, **more):
        """The answer's data or its error, and the seconds that it took."""
        begun = time.time()
        args = {"pattern": pattern, "max_millis": 60000, "tokenBudget": 10000, **more}
        got = self.run("--root", folder, "call", "regex_search", "--json", json.dumps(args))
        answer = json.loads(got.stdout or "{}")
        data = answer.get("data") or {}
        data["whole"] = bool(data.get("complete")) and not answer.get("truncated")
        return (data if answer.get("ok") else None), answer.get("error") or got.stderr, time.time() - begun


def rows_of(data, prefix):
    """Lines or files of an answer, in a form that can be compared."""
    row = lambda hit: (hit["file"].removeprefix(prefix), hit.get("line"), hit.get("col"), hit.get("text"), hit.get("count"))
    return {row(hit) for hit in data["matches"]}


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
    prefix = "org:" + args.name + "/"
    totals = collections.Counter()
    seconds = [0.0, 0.0]
    scope = {"paths": args.paths.split(",")} if args.paths else {}
    there_args = {"in": "org", **(scope or {"paths": [args.name]})}
    for pattern in PATTERNS + words_of(args.tree, args.count, args.seed):
        for output in ("lines", "files"):
            here, why_here, took_here = hob.ask(args.tree, pattern, output=output, **scope)
            there, why_there, took_there = hob.ask(hob.empty, pattern, output=output, **there_args)
            if here is None or there is None or here["whole"] and there["whole"]:
                break
        if here is None or there is None:
            totals["refused"] += 1
            print(f"refused  {pattern!r}: {why_here if here is None else why_there}"[:300])
            continue
        seconds[0] += took_here
        seconds[1] += took_there
        totals["patterns"] += 1
        totals["lines"] += here["total_lines"]
        if not there["complete"] or not here["complete"]:
            totals["not complete"] += 1
            continue
        count = lambda data: tuple(data[name] for name in ("total_lines", "total_matches", "files_matched"))
        if count(here) != count(there):
            totals["totals differ"] += 1
            print(f"totals   {pattern!r}: here {count(here)}, there {count(there)}")
        if not (here["whole"] and there["whole"]):
            totals["only totals compared"] += 1
            continue
        here, there = rows_of(here, ""), rows_of(there, prefix)
        if here == there:
            totals["same " + output] += 1
            continue
        totals["differ"] += 1
        print(f"differs  {pattern!r}: here {sorted(here - there, key=str)[:2]}, there {sorted(there - here, key=str)[:2]}"[:500])
    hob.run("stop")
    print(dict(totals), f"seconds here {seconds[0]:.1f}, there {seconds[1]:.1f}")
    return 1 if totals["differ"] or totals["totals differ"] else 0


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "--record":
        return record(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    parser = argparse.ArgumentParser(usage=__doc__)
    for name in ("hob", "zoekt", "tree", "name"):
        parser.add_argument(name)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--paths")
    return compare(parser.parse_args())


sys.exit(main())
