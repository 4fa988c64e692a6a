#!/usr/bin/env python3
"""Asks a tool for the files that commits changed, by the messages of these commits.

    commit_questions.py HOB REPOSITORY [--back 600] [--tool investigate] [--most 80] [--misses]

HOB is the program `hob` with `hobd` beside it, REPOSITORY a git repository with its history. The tree of a commit so many commits
ago is put into a temporary folder; the commits since then are the questions. A question is the first line of a message
(`title`), or all of it where it has 30 words more (`whole`). It counts as answered at the place, among the files of the answer in
their order, of the first file that the commit changed. Where an answer says how sure it is of a file, the last line says how far
that is off: of the first files and of the first ten, in tenths, the mean distance between what was said and how many were right (the
expected calibration error). Commits that change tests, documentation or more than three files of code
are left out, and so are those whose message says only that something was formatted.

Nobody who tunes the ranking wrote these questions. Look at one half of your projects, and at the other half once.
"""

import argparse
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

CODE = (".py", ".js", ".jsx", ".ts", ".tsx", ".go", ".rs", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".cs", ".rb", ".php", ".swift", ".scala")
ASIDE = {"test", "tests", "testing", "testdata", "__tests__", "spec", "example", "examples", "doc", "docs", "bench", "scripts"}
EMPTY = re.compile(
    r"(bump|release|merge|revert|prepare|version|docs?:|build\(|chore\(|update changelog|.*(flake8|typo|lint|mypy|ruff|isort|black|"
    r"spelling|whitespace|copyright|pre-commit))",
    re.IGNORECASE,
)
TRAILER = re.compile(r"(?m)^(co-authored-by|signed-off-by|reviewed-by|change-id|fixes|closes)\b.*$", re.IGNORECASE)


def git(repository, *arguments):
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=True).stdout


def is_aside(path):
    *folders, name = path.lower().split("/")
    named = name.startswith("test_") or re.search(r"(_test|\.test|\.spec|tests?)\.\w+$", name)
    return bool(named) or any(folder in ASIDE for folder in folders)


def questions(repository, snapshot, commits, most):
    """The titles and whole messages of the commits after a snapshot, each with the files that are looked for."""
    there = set(git(repository, "ls-tree", "-r", "--name-only", snapshot).splitlines())
    titles, wholes = [], []
    for commit in commits:
        changed = git(repository, "show", "--format=", "--name-only", commit).splitlines()
        wanted = [path for path in changed if path.endswith(CODE) and not is_aside(path)]
        title, _, body = git(repository, "show", "-s", "--format=%B", commit).strip().partition("\n")
        if not 1 <= len(wanted) <= 3 or not there.issuperset(wanted) or EMPTY.match(title) or len(title.split()) < 4:
            continue
        body = TRAILER.sub("", body).strip()
        titles.append((commit, title, wanted))
        if len(body.split()) >= 30:
            wholes.append((commit, f"{title}\n\n{body}", wanted))
    return {"title": titles[:most], "whole": wholes[:most]}


def files_of(hob, tool, tree, environment, query):
    """The files of an answer in their order, each with how sure the answer is of it, if it says so."""
    command = [hob, "call", tool, json.dumps({"query": query}), "--json"]
    said = subprocess.run(command, capture_output=True, text=True, cwd=tree, env=environment).stdout
    data = json.loads(said)["data"]
    files = {}
    for entry in data.get("entries") or data.get("results") or []:
        files.setdefault((entry.get("location") or entry["file"]).split(":")[0], entry.get("confidence"))
    return files


def calibration_error(said):
    """Prints a table of probabilities and what came true, by tenths, and returns how far these are apart: pairs of both."""
    tenths = {}
    for sure, came_true in said:
        tenths.setdefault(min(int(sure * 10), 9), []).append((sure, came_true))
    for tenth, pairs in sorted(tenths.items()):
        said_mean, true_share = (sum(pair[at] for pair in pairs) / len(pairs) for at in (0, 1))
        print(f"  said {tenth / 10:.1f} to {(tenth + 1) / 10:.1f}: {len(pairs):4} files, mean {said_mean:.3f}, right {true_share:.3f}")
    off = (abs(sum(sure - came_true for sure, came_true in tenth)) for tenth in tenths.values())
    return sum(off) / max(len(said), 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hob")
    parser.add_argument("repository", type=Path)
    parser.add_argument("--back", type=int, default=600)
    parser.add_argument("--tool", default="investigate", choices=["investigate", "text_search"])
    parser.add_argument("--most", type=int, default=80)
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    hob = str(Path(options.hob).resolve())
    commits = git(options.repository, "log", "--no-merges", "--format=%H", f"-{options.back}").split()
    snapshot, since = commits[-1], commits[-2::-1]
    with tempfile.TemporaryDirectory() as folder:
        home, tree = Path(folder, "home"), Path(folder, "tree")
        (tree / ".git").mkdir(parents=True)
        (home / "run").mkdir(parents=True, mode=0o700)
        archive = subprocess.Popen(["git", "-C", str(options.repository), "archive", snapshot], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", str(tree)], stdin=archive.stdout, check=True)
        ours = {"HOME": str(home), "XDG_RUNTIME_DIR": str(home / "run")}
        ours |= {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA", "STATE")}
        environment = {**os.environ, **ours}
        firsts, tens = [], []
        try:
            for kind, asked in questions(options.repository, snapshot, since, options.most).items():
                ranks = []
                for commit, query, wanted in asked:
                    sure = files_of(hob, options.tool, tree, environment, query)
                    found = list(sure)
                    said = [(sure[path], path in wanted) for path in found[:10] if sure[path] is not None]
                    firsts += said[:1]
                    tens += said
                    rank = min((found.index(path) for path in wanted if path in found), default=None)
                    ranks.append(rank)
                    if options.misses and rank != 0:
                        print(f"  {commit[:9]} {rank} wanted {wanted}, found {found[:5]}")
                share = lambda most: sum(rank is not None and rank < most for rank in ranks) / max(len(ranks), 1)
                print(f"{kind:6} {len(ranks):3} questions  @1 {share(1):.3f}  @5 {share(5):.3f}  @10 {share(10):.3f}")
            if firsts:
                print("of the first file, and of the first ten:")
                errors = calibration_error(firsts), calibration_error(tens)
                print(f"calibration error: {errors[0]:.3f} of {len(firsts)} first files, {errors[1]:.3f} of {len(tens)}")
        finally:
            subprocess.run([hob, "stop"], env=environment, capture_output=True)


if __name__ == "__main__":
    main()
