#!/usr/bin/env node
require("../lib/launch.js").start("hob", process.argv.slice(2));
