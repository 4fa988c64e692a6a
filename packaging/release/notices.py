"""The licences of everything that is linked into the programs, as those licences ask for.

`cargo metadata` says which packages a platform's programs are made of; their licence files lie in cargo's own folders.
"""

import json
import subprocess
from pathlib import Path

import facts

STARTS = ("license", "licence", "copying", "notice", "copyright", "unlicense")


def text(target: str) -> str:
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    said = subprocess.run(command, cwd=facts.REPOSITORY, check=True, capture_output=True).stdout
    metadata = json.loads(said)
    packages = {package["id"]: package for package in metadata["packages"]}
    wanted = linked(metadata, packages)
    intro = (
        "hob is made of its own code and of the packages below. Their sources, of exactly these versions, are at\n"
        "https://crates.io/crates/NAME/VERSION. Each one's licence follows its name; where a package is offered under\n"
        "several, hob uses it under whichever of them allows it. A text that many have stands where it comes first.\n"
    )
    said: dict[str, str] = {}
    return "\n".join([intro, *(section(packages[found], said) for found in sorted(wanted, key=lambda found: key(packages[found])))])


def key(package: dict) -> tuple[str, str]:
    return package["name"], package["version"]


def linked(metadata: dict, packages: dict) -> set[str]:
    """Foreign packages that the programs contain: not what only tests or build scripts use."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    todo = list(metadata["workspace_default_members"])
    seen = set(todo)
    while todo:
        for dependency in nodes[todo.pop()]["deps"]:
            normal = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if normal and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                todo.append(dependency["pkg"])
    return {found for found in seen if packages[found]["source"]}


def section(package: dict, said: dict[str, str]) -> str:
    """One package; `said` has every text so far, and where it stands."""
    name = f"{package['name']} {package['version']}"
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name.lower().startswith(STARTS))
    licence = package["license"] or "see below"
    lines = ["=" * 80, f"{name} ({licence})", ""]
    if package["authors"]:
        lines += ["Authors: " + ", ".join(package["authors"]), ""]
    for path in files:
        text = path.read_text(encoding="utf-8", errors="replace").strip()
        plain = " ".join(text.split())
        first = said.setdefault(plain, f"{path.name} of {name}")
        lines += [f"--- {path.name}", text if first == f"{path.name} of {name}" else f"(the text of {first})", ""]
    return "\n".join(lines)
