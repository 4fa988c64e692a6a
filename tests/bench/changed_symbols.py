#!/usr/bin/env python3
"""Compares what `change_impact` says of commits with what a language's own parser says of both sides.

    changed_symbols.py HOB REPOSITORY [--most 100] [--skip 0] [--misses]
    changed_symbols.py HOB REPOSITORY --typescript node_modules/typescript [--most 100]
    changed_symbols.py HOB REPOSITORY --rust target/release/rust-symbols [--most 100]

HOB is the program `hob` with `hobd` beside it, REPOSITORY a git repository of a project in Python, in TypeScript or JavaScript, or in
Rust, that is checked out; the program writes nothing into it. The oracle is Python's `ast`, the package `typescript`
(`changed_symbols.mjs`), or the crate `syn` (`src/bin/rust-symbols.rs`). For each of the latest commits that change files of the language, the oracle lists the functions, methods and classes
whose own syntax trees differ between the commit and its first parent: without positions, without comments, and without the
definitions in them. A class that assigns something else counts as told if hob tells the assigned field. Both sides of what hob calls a rename or a move count as told, and so do the members of what is added, removed or
moved whole. Told in vain is what the oracle does not have: changes of comments alone are left out of the count, changes of layout are
counted apart.
"""

import argparse
import ast
import json
import os
import subprocess
import tempfile

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def git(repository, *arguments):
    command = ["git", "-C", repository, *arguments]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=True).stdout


class PythonOracle:
    """Python's own parser."""

    endings = (".py",)

    def definitions(self, path, text):
        try:
            return definitions(text)
        except (SyntaxError, ValueError, RecursionError):
            return None


class ProcessOracle:
    """A parser in a process of its own, which lives as long as the oracle."""

    def __init__(self, command, endings):
        self.endings = endings
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def definitions(self, path, text):
        self.process.stdin.write(json.dumps({"path": path, "text": text}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def oracle_for(options):
    if options.rust:
        return ProcessOracle([os.path.abspath(options.rust)], (".rs",))
    if options.typescript:
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "changed_symbols.mjs")
        endings = (".ts", ".tsx", ".js", ".mjs", ".cjs", ".mts", ".cts")
        return ProcessOracle(["node", script, os.path.abspath(options.typescript)], endings)
    return PythonOracle()


def definitions(text):
    """Every definition by its qualified name: the dumps of its own trees, one for each definition of that name."""
    found = {}

    def without_definitions(node):
        class Strip(ast.NodeTransformer):
            def visit_FunctionDef(self, inner):
                return None if inner is not node else self.generic_visit(inner)

            visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

        copy = ast.parse(ast.unparse(node)).body[0]
        node = copy
        return ast.dump(Strip().visit(copy))

    def walk(node, prefix):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, DEFINITIONS):
                name = f"{prefix}{child.name}"
                found.setdefault(name, []).append(without_definitions(child))
                walk(child, f"{name}.")
            else:
                walk(child, prefix)

    walk(ast.parse(text), "")
    return {name: sorted(dumps) for name, dumps in found.items()}


def side(oracle, repository, commit, path):
    """The definitions of a file in a commit; None where it cannot be parsed."""
    shown = subprocess.run(["git", "-C", repository, "show", f"{commit}:{path}"], capture_output=True)
    if shown.returncode != 0:
        return {}
    return oracle.definitions(path, shown.stdout.decode(errors="replace"))


def expected(oracle, repository, commit):
    """The pairs of path and name that differ, and the paths that could be compared."""
    changed = git(repository, "diff-tree", "-r", "--no-renames", "--name-only", "--no-commit-id", f"{commit}^", commit)
    differ, paths = set(), set()
    for path in (path for path in changed.splitlines() if path.endswith(oracle.endings)):
        before, after = side(oracle, repository, f"{commit}^", path), side(oracle, repository, commit, path)
        if before is None or after is None:
            continue
        paths.add(path)
        differ |= {(path, name) for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    return differ, paths


def told(hob, repository, environment, commit):
    """What hob says: symbols that differ, and the containers whose members all do."""
    symbols, offset = [], 0
    while True:
        arguments = json.dumps({"change": commit, "offset": offset, "tokenBudget": 10_000, "max_depth": 1})
        command = [hob, "call", "change_impact", arguments, "--json"]
        said = json.loads(subprocess.run(command, capture_output=True, text=True, cwd=repository, env=environment).stdout)
        page = said["data"]["symbols"]
        symbols += page
        offset += len(page)
        if not page or offset >= said["data"]["counts"]["symbols"]:
            return symbols


def compare(oracle, hob, repository, environment, commit):
    differ, paths = expected(oracle, repository, commit)
    found, whole, docs, aside = set(), set(), set(), set()
    for symbol in told(hob, repository, environment, commit):
        if symbol["file"] not in paths:
            continue
        places = [(symbol["file"], symbol["name"])]
        if symbol.get("members"):
            whole.update(places)
        if symbol["kind"] in ("field", "constant", "variable", "route"):
            # For the oracle, what a class assigns is the class's own text.
            aside.update((path, name.rpartition(".")[0]) for path, name in places)
            continue
        if "was" in symbol:
            places.append(tuple(symbol["was"].split("#", 1)))
        (docs if symbol.get("parts") == ["docs"] else found).update(places)
        if "was" in symbol and symbol.get("members"):
            whole.update(places)
    is_member = lambda place: any(place[0] == path and place[1].startswith(f"{name}.") for path, name in whole)
    missed = {place for place in differ - found - docs - aside if not is_member(place)}
    return differ, missed, found - differ


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hob")
    parser.add_argument("repository")
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--typescript", metavar="PACKAGE")
    parser.add_argument("--rust", metavar="PROGRAM")
    options = parser.parse_args()
    hob, repository = os.path.abspath(options.hob), os.path.abspath(options.repository)
    oracle = oracle_for(options)
    patterns = [f"*{ending}" for ending in oracle.endings]
    listed = git(repository, "log", "--no-merges", "--format=%H", "--diff-filter=AMDR", "--", *patterns).split()
    commits = [commit for commit in listed[options.skip :] if git(repository, "rev-list", "--parents", "-n1", commit).count(" ")]
    totals = {"commits": 0, "differ": 0, "missed": 0, "in vain": 0}
    with tempfile.TemporaryDirectory(prefix="hob-changes-") as folder:
        environment = {**os.environ, "HOB_DIR": folder}
        for commit in commits[: options.most]:
            differ, missed, vain = compare(oracle, hob, repository, environment, commit)
            totals["commits"] += 1
            totals["differ"] += len(differ)
            totals["missed"] += len(missed)
            totals["in vain"] += len(vain)
            if options.misses:
                for word, places in (("missed", missed), ("in vain", vain)):
                    for path, name in sorted(places):
                        print(f"{commit[:10]} {word} {path} {name}")
        subprocess.run([hob, "stop"], env=environment, capture_output=True)
    right = totals["differ"] - totals["missed"]
    print(f"{totals['commits']} commits, {totals['differ']} symbols differ")
    print(f"recall    {right / max(totals['differ'], 1):.4f} ({totals['missed']} missed)")
    print(f"precision {right / max(right + totals['in vain'], 1):.4f} ({totals['in vain']} in vain: layout, or a move that the oracle sees as two)")


if __name__ == "__main__":
    main()
