"""Whether `edit_rename` changes everything that has to change, by a compiler's word, or says what it leaves behind.

    renames.py HOB TREE ts|py [NAMES] [SEED] -- CHECK...

Renames exported names of TREE that are written in several files, drawn by SEED, one after the other in a copy; CHECK is run in it
before and after, and prints errors as `file:line:col: text` or `file(line,col): text`. Errors that were not there before count,
except those that name what a preview said would be left behind.

Prints what was refused or warned of, the new errors, and the counts. The exit code is 1 if a rename left something behind in
silence. hob's own language servers come from PATH.
"""
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from completeness import exported_names, read, source_files

PLACE = re.compile(r"^(\S+?)[:(](\d+)[:,](\d+)\)?:? +(.*)$")


def errors(check, tree):
    said = subprocess.run(check, cwd=tree, capture_output=True, text=True).stdout
    found = collections.Counter()
    texts = {}
    for line in said.splitlines():
        match = PLACE.match(line)
        if match:
            file, number, _, text = match.groups()
            code = re.search(r"TS\d+|\[[\w-]+\]", text)
            key = (file, int(number), code.group(0) if code else text)
            found[key] += 1
            texts[key] = text
    return found, texts


def call(hob, tree, tool, arguments):
    command = [hob, "call", "--edits", "--json", tool, json.dumps(arguments)]
    said = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=600)
    try:
        return json.loads(said.stdout)
    except ValueError:
        return {"ok": False, "error": {"message": (said.stdout + said.stderr)[:300]}}


def in_several_files(tree, language, files, places):
    words = collections.Counter()
    for file in files:
        words.update(set(re.findall(r"\w+", read(tree, file))))
    return [place for place in places if words[place[3]] > 1]


def rename(hob, tree, place):
    """The new name and what was said, or why there is none."""
    file, line, col, name = place
    new = name + "Xq" if name[:1].islower() else "Xq" + name
    asked = {"file": file, "line": line, "col": col, "newName": new, "tokenBudget": 10000}
    preview = call(hob, tree, "edit_rename", asked)
    if not preview.get("ok"):
        return None, preview["error"].get("message", "")
    said = preview.get("warnings") or []
    warned = " ".join(one for one in said if not one.startswith("Pending: ") and " runs restricted, " not in one)
    decided = call(hob, tree, "resolve_action", {"pendingId": preview["data"]["pendingId"], "action": "apply", "reason": "measured"})
    if not decided.get("ok"):
        return None, decided["error"].get("message", "")
    return new, warned


def main():
    cut = sys.argv.index("--")
    (hob, given, language), rest, check = sys.argv[1:4], sys.argv[4:cut], sys.argv[cut + 1:]
    count, seed = (int(number) for number in (rest + ["20", "1"][len(rest):])[:2])
    folder = tempfile.mkdtemp(prefix="renames-")
    tree = os.path.join(folder, "tree")
    shutil.copytree(given, tree, symlinks=True)
    files = list(source_files(tree, language))
    places = in_several_files(tree, language, files, exported_names(tree, language, files))
    random.Random(seed).shuffle(places)
    before, _ = errors(check, tree)
    done = refused = 0
    warned = set()
    for place in places[:count]:
        new, said = rename(hob, tree, place)
        label = f"{place[0]}:{place[1]} {place[3]}"
        if new is None:
            refused += 1
            print("refused", label, said[:200])
            continue
        done += 1
        if said:
            warned |= {place[3], new}
            print("warned", label, said[:200])
    after, texts = errors(check, tree)
    new_errors = after - before
    silent = [key for key in new_errors if not any(re.search(rf"\b{name}\b", texts[key]) for name in warned)]
    for key in sorted(silent):
        print("NEW", *key[:2], texts[key])
    print(f"{done} renames, {len(warned) // 2} with a warning, {refused} refused; {sum(before.values())} errors before, "
          f"{sum(new_errors.values())} new ones, {len(silent)} of them in silence")
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if silent else 0)


if __name__ == "__main__":
    main()
