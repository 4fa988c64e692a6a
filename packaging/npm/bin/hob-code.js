#!/usr/bin/env node
// What `npx hob-code` starts: `mcp` and `lsp` are the two servers, everything else is for `hob`.
const servers = { mcp: "hob-mcp", lsp: "hob-lsp" };
const [first, ...rest] = process.argv.slice(2);
const server = Object.hasOwn(servers, first ?? "") ? servers[first] : undefined;
require("../lib/launch.js").start(server ?? "hob", server ? rest : process.argv.slice(2));
