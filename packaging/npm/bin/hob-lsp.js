#!/usr/bin/env node
require("../lib/launch.js").start("hob-lsp", process.argv.slice(2));
