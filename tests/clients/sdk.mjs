// The TypeScript SDK, version 1, as a client of `hob-mcp` over stdio. The same plan and report as `client.py`.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const plan = JSON.parse(process.argv[2]);
const { command, args, env, cwd } = plan;
const client = new Client({ name: "hob-tests", version: "0" });
const report = { results: [], refusals: [] };
const transport = new StdioClientTransport({ command, args, env, cwd });
transport.setProtocolVersion = (version) => (report.protocolVersion = version);
await client.connect(transport);
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
