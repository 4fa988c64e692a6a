"""What Python's own parser says about a tree: first definition of each name, and who calls one imported name.

Usage: ast_truth.py ROOT NAME. Prints one JSON object; see `harness/oracles.rs`.
"""
import ast
import json
import pathlib
import sys
import warnings

warnings.simplefilter("ignore")
root, wanted = pathlib.Path(sys.argv[1]), sys.argv[2]
definitions, callers, callers_any = {}, set(), set()


def imported_as(tree, django_only):
    """The names under which `wanted` is bound by a `from ... import`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        if django_only and (node.level or node.module != "django.urls"):
            continue
        for alias in node.names:
            if alias.name == wanted:
                yield alias.asname or alias.name


def visit(node, path, names, qualified, aliases):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = names + [child.name]
            definitions.setdefault(f"{path}#{'.'.join(inner)}", [child.lineno, child.end_lineno])
            # Decorators and defaults are evaluated outside.
            for outer in child.decorator_list:
                count(outer, qualified, aliases)
                visit(outer, path, names, qualified, aliases)
            own = type(child)(**{**dict(ast.iter_fields(child)), "decorator_list": []})
            visit(own, path, inner, f"{path}#{'.'.join(inner)}", aliases)
        else:
            count(child, qualified, aliases)
            visit(child, path, names, qualified, aliases)


def count(node, qualified, aliases):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in aliases[0]:
            callers.add(qualified)
        if node.func.id in aliases[1]:
            callers_any.add(qualified)


for file in sorted(root.rglob("*.py")):
    path = file.relative_to(root).as_posix()
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        continue
    aliases = set(imported_as(tree, True)), set(imported_as(tree, False))
    visit(tree, path, [], path, aliases)

json.dump(
    {
        "definitions": definitions,
        "callers": sorted(callers),
        "callers_any_import": sorted(callers_any),
    },
    sys.stdout,
)
