"""An agent's first question, as plainly as can be: `hob-mcp` is started, greets, lists its tools and answers one call."""
import json
import subprocess
import sys
import time

started = time.monotonic()
shim = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(number, method, params):
    shim.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    shim.stdin.flush()
    for line in shim.stdout:
        message = json.loads(line)
        if message.get("id") == number and "method" not in message:
            return message["result"]
        if "method" in message and "id" in message:
            refused = {"code": -32601, "message": "not offered"}
            shim.stdin.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": refused}) + "\n")
            shim.stdin.flush()
    sys.exit("hob-mcp ended without an answer")


me = {"name": "first-day", "version": "1"}
ask(1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": me})
shim.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
tools = ask(2, "tools/list", {})["tools"]
answer = ask(3, "tools/call", {"name": "map_search", "arguments": {"query": "Barrier", "limit": 1}})
print(f"{len(tools)} tools; the first answer after {time.monotonic() - started:.1f} s:")
print(answer["content"][0]["text"][:400])
if answer.get("isError"):
    sys.exit("the answer is an error")
shim.stdin.close()
shim.wait()
