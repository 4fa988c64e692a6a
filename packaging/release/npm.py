"""The npm packages as folders for `npm pack` or `npm publish`: the launcher, and one package per platform with the programs."""

import json
import shutil
from pathlib import Path

import facts
import notices
import tree


def stage(out: Path, programs: Path, target: str, with_notices: bool) -> list[Path]:
    main = out / facts.REGISTRY_NAME
    platform = out / f"{facts.REGISTRY_NAME}-{facts.TARGETS[target].npm}"
    for folder in (main, platform):
        shutil.rmtree(folder, ignore_errors=True)
    tree.copy_tree(facts.PACKAGING / "npm", main)
    manifest = json.loads((main / "package.json").read_text(encoding="utf-8"))
    tree.put_programs(platform / "bin", programs, target)
    write(platform / "package.json", of_platform(manifest, target))
    tree.write(platform / "README.md", f"The programs that `{facts.REGISTRY_NAME}` starts on {target}.\n".encode())
    for folder in (main, platform):
        for name in ("LICENSE-MIT", "LICENSE-APACHE"):
            tree.write(folder / name, (facts.REPOSITORY / name).read_bytes())
    if with_notices:
        tree.write(platform / "THIRD-PARTY.txt", notices.text(target).encode())
    return [main, platform]


def of_platform(manifest: dict, target: str) -> dict:
    platform = facts.TARGETS[target]
    made = {
        "name": f"{manifest['name']}-{platform.npm}",
        "version": facts.version(),
        "description": f"hob's programs for {target}",
        "license": manifest["license"],
        "os": [platform.npm_os],
        "cpu": [platform.npm_cpu],
        "files": ["bin", "THIRD-PARTY.txt", "LICENSE-MIT", "LICENSE-APACHE"],
        "preferUnplugged": True,
    }
    if platform.npm_os == "linux":
        made["libc"] = ["glibc"]
    return made


def write(path: Path, manifest: dict) -> None:
    tree.write(path, (json.dumps(manifest, indent=2) + "\n").encode())
