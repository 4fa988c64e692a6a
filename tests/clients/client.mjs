// The TypeScript client package, version 2, as a client of `hob-mcp` over stdio. The same plan and report as `client.py`.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const plan = JSON.parse(process.argv[2]);
const { command, args, env, cwd } = plan;
const client = new Client({ name: "hob-tests", version: "0" });
await client.connect(new StdioClientTransport({ command, args, env, cwd }));
const report = { results: [], refusals: [] };
report.protocolVersion = client.getNegotiatedProtocolVersion?.() ?? null;
report.server = client.getServerVersion();
report.instructions = client.getInstructions();
report.tools = (await client.listTools()).tools;
for (const call of plan.calls) {
  try {
    report.results.push(await client.callTool(call));
  } catch (error) {
    report.refusals.push(String(error.message));
  }
}
await client.close();
console.log(JSON.stringify(report));
