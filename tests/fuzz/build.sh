#!/usr/bin/env bash
# Builds the fuzzer with libFuzzer and LLVM's coverage counters, by the stable toolchain, into a folder of its own.
#
# `tests/fuzz/build.sh` prints the program's path. `-C passes` and `-C llvm-args` are stable; what wants a nightly toolchain
# (address sanitizer) is left out. `--target` keeps the counters out of build scripts and procedural macros.
set -euo pipefail
cd "$(dirname "$0")/../.."
export CARGO_TARGET_DIR="${HOB_FUZZ_BUILD:-${CARGO_TARGET_DIR:-target}/fuzz}"
export CARGO_PROFILE_DEV_DEBUG="${CARGO_PROFILE_DEV_DEBUG:-line-tables-only}" CARGO_INCREMENTAL=0
host=$(rustc -vV | sed -n 's/^host: //p')
flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3"
flags+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
flags+=" -Cllvm-args=-sanitizer-coverage-trace-compares"
RUSTFLAGS="$flags" cargo build --locked --package hob-fuzz --bin hob-fuzz --features libfuzzer --target "$host" >&2
echo "$CARGO_TARGET_DIR/$host/debug/hob-fuzz"
