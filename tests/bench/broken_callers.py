#!/usr/bin/env python3
"""Breaks callers on purpose, and compares what `change_impact` says of them with what a compiler or type checker says.

    broken_callers.py HOB PROJECT --judge "cargo check --all-targets --message-format short" [--cases 100] [--batch 1] [--seed 1] [--misses]
    broken_callers.py HOB PROJECT --judge "pyright --outputjson src" --files "*.py"
    broken_callers.py HOB PROJECT --judge "npx tsc --noEmit --pretty false" --files "*.ts"

HOB is the program `hob` with `hobd` beside it; PROJECT is a git repository whose dependencies are there. It is copied, and only the copy is
changed. For each case, one function is renamed where it is defined and nowhere else. The judge's errors on lines that have the old name, and
that it does not report without the change, are the broken callers. Functions whose name is defined twice, or that the judge does not miss,
are no cases, nor are those with more callers than one answer shows. With `--batch N` the judge looks at N renamed functions at once, which suits one that goes on behind an error and is slow
to start; hob is still asked about each alone. Recall is counted over all broken callers, and over those that the map knew as `import` or better before the change.
"""

import argparse
import fnmatch
import itertools
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import tempfile

DEFINITION = re.compile(
    r"^\s*(?:(?:pub(?:\([^)]*\))?|export|default|async|const|unsafe|static|public|private|protected)\s+)*"
    r"(?:def|fn|function)\s+([A-Za-z_][A-Za-z0-9_]{3,})\s*[(<]"
)
PLACE = re.compile(r"^\s*(?:-->\s*)?([^\s:(][^:(]*)[:(](\d+)[:,]\d+")
SURE = {"live", "exact", "import"}


def run(command, folder, environment=None):
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace")
    return done.stdout + done.stderr


def judged(command, project):
    """The places of all errors, as (path, line)."""
    said = run(shlex.split(command), project)
    start = said.find('{')
    if "--outputjson" in command and start >= 0:
        found = json.loads(said[start : said.rindex("}") + 1])["generalDiagnostics"]
        errors = [one for one in found if one["severity"] == "error"]
        return {(os.path.relpath(one["file"], project), one["range"]["start"]["line"] + 1) for one in errors}
    places = (PLACE.match(line) for line in said.splitlines() if "warning" not in line)
    return {(os.path.normpath(place[1]), int(place[2])) for place in places if place}


def definitions(project, files):
    """Every function whose name is defined once and written elsewhere too: name, path, line."""
    listed = run(["git", "ls-files"], project).splitlines()
    texts = {}
    for path in listed:
        if fnmatch.fnmatch(path, files):
            with open(os.path.join(project, path), encoding="utf-8", errors="replace") as text:
                texts[path] = text.read().splitlines()
    defined, written = {}, {}
    for path, lines in texts.items():
        for number, line in enumerate(lines, 1):
            for word in set(re.findall(r"\w+", line)):
                written[word] = written.get(word, 0) + 1
            match = DEFINITION.match(line)
            if match:
                defined.setdefault(match[1], []).append((path, number))
    return sorted((name, *places[0]) for name, places in defined.items() if len(places) == 1 and written[name] > 1)


class Hob:
    def __init__(self, program, project, folder):
        self.program, self.project = program, project
        self.environment = {**os.environ, "HOB_DIR": folder}

    def call(self, tool, arguments):
        command = [self.program, "call", tool, json.dumps({**arguments, "tokenBudget": 10_000}), "--json"]
        said = run(command, self.project, self.environment)
        answer = json.loads(said[said.index("{") :])
        return {**(answer.get("data") or {}), "is_cut": answer.get("truncated", False)}

    def callers(self, path, line):
        """Lines that use what is defined there, with the confidence of each."""
        arguments = {"nodeId": f"{path}:{line}", "direction": "in", "maxNodes": 1000}
        found = {}
        for one in self.call("map_neighbors", arguments).get("neighbors", []):
            for site in one.get("sites", []):
                found[(one["file"], site)] = one["confidence"]
        return found

    def broken(self):
        """The places that no longer fit; None where they are more than one answer shows."""
        answer = self.call("change_impact", {"max_depth": 1})
        symbols = answer.get("symbols", [])
        if answer["is_cut"] or any("brokenCount" in symbol for symbol in symbols):
            return None
        return {(one["file"], one["line"]) for symbol in symbols for one in symbol.get("broken", [])}

    def stop(self):
        run([self.program, "stop"], self.project, self.environment)


def lines_with(project, places, name):
    kept = set()
    for path, line in places:
        try:
            with open(os.path.join(project, path), encoding="utf-8", errors="replace") as text:
                lines = text.read().splitlines()
        except OSError:
            continue
        if line <= len(lines) and re.search(rf"\b{name}\b", lines[line - 1]):
            kept.add((path, line))
    return kept


class Renamed:
    """Functions renamed where they are defined, for as long as the context lasts."""

    def __init__(self, project, cases):
        self.project, self.cases, self.originals = project, cases, {}

    def __enter__(self):
        for name, path, line in self.cases:
            file = os.path.join(self.project, path)
            with open(file, encoding="utf-8") as text:
                original = text.read()
            self.originals.setdefault(file, original)
            lines = original.splitlines(keepends=True)
            lines[line - 1] = re.sub(rf"\b{name}\b", f"{name}_renamed", lines[line - 1], count=1)
            with open(file, "w", encoding="utf-8") as text:
                text.write("".join(lines))

    def __exit__(self, *_):
        for file, original in self.originals.items():
            with open(file, "w", encoding="utf-8") as text:
                text.write(original)


def try_cases(hob, options, project, cases, before):
    """Of each case: what the judge misses, what hob says, and what the map knew; without those that are no cases."""
    with Renamed(project, cases):
        errors = judged(options.judge, project) - before
    for case in cases:
        name, path, line = case
        # The definition itself may be an error for a judge that wants everything used.
        missed = lines_with(project, errors - {(path, line)}, name)
        if not missed:
            continue
        known = hob.callers(path, line)
        with Renamed(project, [case]):
            told = hob.broken()
        if told is not None:
            yield case, missed, told, known


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hob")
    parser.add_argument("project")
    parser.add_argument("--judge", required=True)
    parser.add_argument("--files", default="*.rs")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    program = os.path.abspath(options.hob)
    with tempfile.TemporaryDirectory(prefix="hob-broken-") as folder:
        project = os.path.join(folder, "project")
        shutil.copytree(options.project, project, symlinks=True)
        hob = Hob(program, project, os.path.join(folder, "hob"))
        before = judged(options.judge, project)
        candidates = definitions(project, options.files)
        random.Random(options.seed).shuffle(candidates)
        totals = {"cases": 0, "broken": 0, "told": 0, "sure": 0, "sure told": 0, "in vain": 0}
        tried = (
            one
            for first in range(0, len(candidates), options.batch)
            for one in try_cases(hob, options, project, candidates[first : first + options.batch], before)
        )
        for case, missed, told, known in itertools.islice(tried, options.cases):
            sure = {place for place in missed if known.get(place) in SURE}
            totals["cases"] += 1
            totals["broken"] += len(missed)
            totals["told"] += len(missed & told)
            totals["sure"] += len(sure)
            totals["sure told"] += len(sure & told)
            totals["in vain"] += len(told - missed)
            if options.misses:
                for word, places in (("missed", missed - told), ("in vain", told - missed)):
                    for path, line in sorted(places):
                        print(f"{case[0]} {word} {path}:{line}")
        hob.stop()
    print(f"{totals['cases']} functions renamed, {totals['broken']} broken callers")
    print(f"recall {totals['told'] / max(totals['broken'], 1):.4f}")
    print(f"recall of those known as import or better {totals['sure told'] / max(totals['sure'], 1):.4f} of {totals['sure']}")
    print(f"told, and not an error for the judge: {totals['in vain']}")


if __name__ == "__main__":
    main()
