#!/usr/bin/env node
require("../lib/launch.js").start("hobd", process.argv.slice(2));
