#!/usr/bin/env python3
"""Asks `investigate` for the code that the fixes of real issues changed.

    issue_questions.py HOB ISSUES REPOSITORIES [--most 20] [--misses] [--plot FILE.svg]

HOB is the program `hob` with `hobd` beside it. ISSUES is a file of JSON lines in the form of SWE-bench (`repo`, `instance_id`,
`base_commit`, `problem_statement`, `patch`; other fields are not read). REPOSITORIES is a folder with a clone of each repository, named
`owner+name`; issues of others are left out, and so are those whose commit is not there. The tree of an issue's commit is put into a
temporary folder, and the question is asked twice: by the first line of the issue (`title`) and by all of it (`whole`).

A question counts as answered at the place of the first file, among the files of the answer in their order, that the fix changed; tests,
documentation and data do not count. A function counts among the first five places if one of them covers a line that the fix changed;
where a definition ends is told by indentation. The last table has, by tenths of the confidence of an answer's first file, what was said and
how many were right, and their mean distance (the expected calibration error); --plot draws it.

Look at one half of your issues while you tune, and at the other half once.
"""

import argparse
import json
import re
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

ASIDE = {"test", "tests", "testing", "testdata", "__tests__", "spec", "specs", "example", "examples", "doc", "docs", "bench", "benches", "scripts"}
NO_CODE = (".md", ".rst", ".txt", ".yml", ".yaml", ".toml", ".lock", ".cfg", ".json", ".sum", ".mod", ".in")
MOST_FILES = 4


def is_aside(path):
    *folders, name = path.lower().split("/")
    named = name.startswith("test_") or re.search(r"(_test|_spec|\.test|\.spec|tests?)\.\w+$", name)
    return bool(named) or name.endswith(NO_CODE) or any(folder in ASIDE for folder in folders)


def changed_lines(patch):
    """The lines of the old files that a patch changes, by path; new files have none."""
    changed, path, line = defaultdict(set), None, 0
    for text in patch.splitlines():
        if match := re.match(r"diff --git a/(\S+) b/", text):
            path = match[1]
        elif text.startswith("new file mode"):
            path = None
        elif match := re.match(r"@@ -(\d+)(?:,\d+)? \+", text):
            line = int(match[1])
        elif path and text[:1] in ("+", "-", " ", "") and not text.startswith(("+++", "---")):
            if text[:1] in ("+", "-"):
                changed[path].add(line)
            line += text[:1] != "+"
    return {path: lines for path, lines in changed.items() if not is_aside(path)}


def lay_out(repository, commit, tree):
    """Puts the tree of a commit into a folder; false if the repository does not have all of it."""
    index = tree.with_suffix(".index")
    command = ["git", "-C", str(repository), "--work-tree", str(tree), "-c", "core.bare=false", "read-tree", "-u", "--reset", commit]
    environment = {"GIT_INDEX_FILE": str(index), "PATH": "/usr/bin:/bin:/usr/local/bin"}
    return subprocess.run(command, capture_output=True, env=environment).returncode == 0


def ask(hob, tree, text):
    question = json.dumps({"query": text})
    command = [hob, "call", "investigate", "-", "--json"]
    said = subprocess.run(command, input=question, capture_output=True, text=True, cwd=tree)
    return json.loads(said.stdout)["data"]["entries"]


def last_line(lines, first):
    """The last line of what begins at `first`, by indentation."""
    def indent(line):
        return len(line) - len(line.lstrip())

    last = first
    for number in range(first, len(lines)):
        line = lines[number]
        closes = line.strip().startswith(("}", ")", "]", "{", "end"))
        if line.strip() and (indent(line) < indent(lines[first - 1]) or (indent(line) == indent(lines[first - 1]) and not closes)):
            break
        if line.strip():
            last = number + 1
    return last


def judge(entries, wanted, tree):
    """The place of the first right file, and whether a right function is among the first five places."""
    files, has_function = [], False
    for at, entry in enumerate(entries):
        path, _, line = entry["location"].partition(":")
        if path not in files:
            files.append(path)
        if at < 5 and path in wanted and line:
            lines = (tree / path).read_text(errors="replace").split("\n")
            has_function |= any(int(line) <= one <= last_line(lines, int(line)) for one in wanted[path])
    return min((files.index(path) for path in wanted if path in files), default=len(files) + 99), has_function


def calibration(answers):
    """What was said and what was right by tenths of confidence, with the number of answers, and the expected calibration error."""
    tenths = defaultdict(list)
    for rank, _, sure in answers:
        tenths[min(int(sure * 10), 9)].append((sure, rank == 0))
    rows = []
    for _, each in sorted(tenths.items()):
        said, right = (sum(column) / len(each) for column in zip(*each))
        rows.append((said, right, len(each)))
    error = sum(abs(said - right) * number for said, right, number in rows) / max(len(answers), 1)
    return rows, error


def plot(rows, error, file):
    """Draws what was right over what was said; the area of a point is its number of answers."""
    def place(share):
        return 40 + 320 * share

    points = [
        f'<circle cx="{place(said):.0f}" cy="{400 - place(right):.0f}" r="{number ** 0.5 + 1:.1f}" fill="#2563eb" fill-opacity=".7"/>'
        for said, right, number in rows
    ]
    frame = '<rect x="40" y="40" width="320" height="320" fill="none" stroke="#888"/><line x1="40" y1="360" x2="360" y2="40" stroke="#bbb"/>'
    words = f'<text x="40" y="28">right over said, calibration error {error:.3f}</text><text x="40" y="384">said: 0 to 1</text>'
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400" font-family="sans-serif" font-size="14">'
    file.write_text(f"{head}{frame}{''.join(points)}{words}</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hob")
    parser.add_argument("issues", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--most", type=int, default=20, help="issues of one repository")
    parser.add_argument("--misses", action="store_true", help="show what was not among the first five")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg")
    given = parser.parse_args()
    hob = str(Path(given.hob).resolve())
    by_repository = defaultdict(list)
    for line in given.issues.read_text().splitlines():
        issue = json.loads(line)
        wanted = changed_lines(issue["patch"])
        if 1 <= len(wanted) <= MOST_FILES:
            by_repository[issue["repo"]].append((issue, wanted))
    found = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for name, issues in sorted(by_repository.items()):
            repository = given.repositories / name.replace("/", "+")
            tree = Path(folder) / name.replace("/", "+")
            tree.mkdir()
            for issue, wanted in issues[-given.most :]:
                if not repository.exists() or not lay_out(repository, issue["base_commit"], tree):
                    continue
                text = issue["problem_statement"]
                for kind, question in (("title", text.split("\n", 1)[0]), ("whole", text)):
                    entries = ask(hob, tree, question)
                    rank, has_function = judge(entries, wanted, tree)
                    sure = entries[0].get("confidence", 0) if entries else 0
                    found[kind].append((rank, has_function, sure))
                    if given.misses and rank >= 5:
                        print(f"  {kind} {issue['instance_id']}: {sorted(wanted)}")
    for kind, answers in found.items():
        number = len(answers)
        at = [sum(rank < most for rank, _, _ in answers) / number for most in (1, 5, 10)]
        functions = sum(has_function for _, has_function, _ in answers) / number
        print(f"{kind:5} n={number} file @1 {at[0]:.3f} @5 {at[1]:.3f} @10 {at[2]:.3f} function @5 {functions:.3f}")
    rows, error = calibration([answer for answers in found.values() for answer in answers])
    for said, right, number in rows:
        print(f"said {said:.2f} right {right:.2f} of {number}")
    print(f"calibration error {error:.3f}")
    if given.plot:
        plot(rows, error, given.plot)


if __name__ == "__main__":
    main()
