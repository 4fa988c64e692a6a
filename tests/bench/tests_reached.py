#!/usr/bin/env python3
"""Compares the tests that `tests_for` names for a function with the tests that execute it when they are run.

    tests_reached.py HOB PROJECT --python COVERAGE.json [--functions 100] [--seed 1] [--misses]
    tests_reached.py HOB PROJECT --istanbul FOLDER [...]

COVERAGE.json is what `coverage json --show-contexts` writes of a run of `pytest --cov --cov-context=test`: a test is a function, and what its
fixtures execute counts. FOLDER has
one folder for each test file, named by its path with `+` for `/`, with the `coverage-final.json` that c8 or vitest wrote of that file alone:
a test is a file. HOB is the program `hob` with `hobd` beside it; PROJECT is the tree that was run, and nothing in it is changed.

Functions are drawn by SEED from those that some test executes. Recall and the tests named for each test that executes are means over the
functions (macro), and over all pairs of function and test (micro).
"""

import argparse
import json
import os
import random
import subprocess
import tempfile
from pathlib import Path


def of_python(path):
    """For each function, as (file, line): the tests that execute it, as (file, name)."""
    executed = {}
    for file, told in json.loads(Path(path).read_text())["files"].items():
        for name, function in told.get("functions", {}).items():
            contexts = {context for contexts in function["contexts"].values() for context in contexts if context}
            if name and contexts:
                executed[(file, function["start_line"], name)] = {test_of(context) for context in contexts}
    return executed


def test_of(context):
    """The file and the function of `tests/test_a.py::TestA::test_b[1]|setup`."""
    file, _, rest = context.split("|")[0].partition("::")
    return file, rest.split("[")[0].split("::")[-1]


def of_istanbul(folder, project):
    """For each function, as (file, line): the test files that execute it."""
    executed = {}
    root = os.path.realpath(project)
    for report in sorted(Path(folder).glob("*/coverage-final.json")):
        test = report.parent.name.replace("+", "/")
        for file, told in json.loads(report.read_text()).items():
            path = os.path.relpath(os.path.realpath(file), root)
            for key, function in told["fnMap"].items():
                if told["f"][key] and not function["name"].startswith("(") and path != test:
                    place = (path, function["decl"]["start"]["line"], function["name"])
                    executed.setdefault(place, set()).add(test)
    return executed


class Hob:
    def __init__(self, program, project, folder):
        self.program, self.project = program, project
        self.environment = {**os.environ, "HOB_DIR": folder}

    def call(self, tool, arguments):
        command = [self.program, "call", tool, json.dumps({**arguments, "tokenBudget": 10_000}), "--json"]
        done = subprocess.run(command, cwd=self.project, env=self.environment, capture_output=True, text=True)
        start = done.stdout.find("{")
        return (json.loads(done.stdout[start:]).get("data") or {}) if start >= 0 else {}

    def tests_for(self, file, line, name):
        """Every test that is named, over all pages, as (file, name); None where what stands on the line is called otherwise."""
        found, offset = [], 0
        while True:
            told = self.call("tests_for", {"target": f"{file}:{line}", "offset": offset})
            if not told or not told["of"].endswith(name.split(".")[-1]):
                return None
            found += [(one["file"], one["name"]) for one in told["found"]]
            offset += len(told["found"])
            if not told["found"] or offset >= told["counts"]["found"]:
                return found

    def stop(self):
        subprocess.run([self.program, "stop"], env=self.environment, capture_output=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hob")
    parser.add_argument("project")
    parser.add_argument("--python")
    parser.add_argument("--istanbul")
    parser.add_argument("--functions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    executed = of_python(options.python) if options.python else of_istanbul(options.istanbul, options.project)
    cases = sorted(executed)
    random.Random(options.seed).shuffle(cases)
    with tempfile.TemporaryDirectory(prefix="hob-tests-") as folder:
        hob = Hob(os.path.abspath(options.hob), options.project, folder)
        try:
            report(hob, cases, executed, options)
        finally:
            hob.stop()


def report(hob, cases, executed, options):
    recalls, shares, hits, named_pairs, true_pairs = [], [], 0, 0, 0
    for place in cases:
        if len(recalls) == options.functions:
            break
        file, line, name = place
        found = hob.tests_for(file, line, name)
        if found is None:
            continue
        named = set(found) if options.python else {path for path, _ in found}
        truth = executed[place]
        recalls.append(len(named & truth) / len(truth))
        shares.append(len(named) / len(truth))
        hits, named_pairs, true_pairs = hits + len(named & truth), named_pairs + len(named), true_pairs + len(truth)
        if options.misses and named != truth:
            missed = sorted(map(str, truth - named))[:3]
            print(f"{file}:{line} {name}: {len(named & truth)} of {len(truth)}, {len(named - truth)} others; missed {missed}")
    count = max(1, len(recalls))
    print(f"{len(recalls)} functions: recall {sum(recalls) / count:.3f} (all pairs {hits / max(1, true_pairs):.3f}), "
          f"named for each that executes: {sum(shares) / count:.2f} (all pairs {named_pairs / max(1, true_pairs):.2f})")


if __name__ == "__main__":
    main()
