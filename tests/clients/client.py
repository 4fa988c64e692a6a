"""The Python MCP SDK as a client of `hob-mcp` over stdio.

Usage: client.py PLAN, a JSON object with `command`, `args`, `env`, `cwd` and `calls`. Prints what the client saw; the test
judges it. The same plan and report as `sdk.mjs` and `client.mjs`.
"""
import asyncio
import json
import sys

from mcp import Client, MCPError, StdioServerParameters

plan = json.loads(sys.argv[1])


def plain(model):
    return json.loads(model.model_dump_json(by_alias=True, exclude_none=True))


async def main():
    server = StdioServerParameters(command=plan["command"], args=plan["args"], env=plan["env"], cwd=plan["cwd"])
    report = {"results": [], "refusals": []}
    async with Client(server) as client:
        report["protocolVersion"] = client.protocol_version
        report["server"] = plain(client.server_info)
        report["instructions"] = client.instructions
        report["tools"] = plain(await client.list_tools())["tools"]
        for call in plan["calls"]:
            try:
                report["results"].append(plain(await client.call_tool(call["name"], call["arguments"])))
            except MCPError as error:
                report["refusals"].append(str(error))
    print(json.dumps(report))


asyncio.run(main())
