// Starts one of hob's programs, which lie in the package of this platform. Nothing is downloaded: npm brought them, or nobody did.
"use strict";

const { spawn } = require("node:child_process");
const path = require("node:path");
const os = require("node:os");

/** The file of a program in the package of this platform. */
function find(name) {
  const wanted = `hob-code-${process.platform}-${process.arch}`;
  let manifest;
  try {
    manifest = require.resolve(`${wanted}/package.json`);
  } catch {
    throw new Error(
      `hob has no programs here: the package ${wanted} is not installed.\n` +
        `Install without --omit=optional (or --no-optional); if npm knows no such package, hob is not made for this platform\n` +
        `(it is for Linux with glibc, macOS and Windows) and has to be built from source.`,
    );
  }
  return path.join(path.dirname(manifest), "bin", process.platform === "win32" ? `${name}.exe` : name);
}

/** Runs a program in this one's place as far as Node can: same streams, signals passed on, same exit code. */
function start(name, args) {
  let program;
  try {
    program = find(name);
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exit(2);
  }
  const child = spawn(program, args, { stdio: "inherit", windowsHide: true });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (error) => {
    console.error(`error: cannot start ${program}: ${error.message}`);
    process.exit(2);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (os.constants.signals[signal] ?? 0)));
}

module.exports = { start };
