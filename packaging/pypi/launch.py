#!python
# What `uvx hob-code` starts: `mcp` and `lsp` are the two servers, everything else is for `hob`.
import os
import subprocess
import sys

SERVERS = {"mcp": "hob-mcp", "lsp": "hob-lsp"}

args = sys.argv[1:]
name = SERVERS.get(args[0], "hob") if args else "hob"
if name != "hob":
    args = args[1:]
ending = ".exe" if os.name == "nt" else ""
program = os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), name + ending)
if os.name == "nt":
    sys.exit(subprocess.call([program, *args]))
os.execv(program, [program, *args])
