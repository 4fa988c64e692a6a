#!/usr/bin/env node
require("../lib/launch.js").start("hob-mcp", process.argv.slice(2));
