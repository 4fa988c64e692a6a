#!/usr/bin/env bash
# Fuzzes targets one after the other, guided by coverage, and prints a row for each: runs, edges, features, inputs, slowest run in seconds, and
# the most memory in megabytes.
#
#     tests/fuzz/run.sh SECONDS [TARGET...]
#
# SECONDS is the time of one target; without targets all have their turn. `HOB_FUZZ_PROGRAM` is a program that was built before, else
# `build.sh` builds it. Inputs that were found are kept in `$HOB_FUZZ_FOUND` (default: `target/fuzz/found`), each target's in its folder,
# and go on from there next time; inputs that a target fails on are in `failed` beside it. A row that begins with `!` has some.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
seconds=${1:?how many seconds for each target}
shift
program=${HOB_FUZZ_PROGRAM:-$("$here/build.sh")} || exit
found=${HOB_FUZZ_FOUND:-${CARGO_TARGET_DIR:-$here/../../target}/fuzz/found}
[ $# -gt 0 ] || mapfile -t targets < <("$program" 2>/dev/null)
[ $# -eq 0 ] || targets=("$@")
printf '%-22s %10s %8s %9s %7s %8s %7s\n' target runs edges features inputs slowest memory
for target in "${targets[@]}"; do
    folder=$found/$target failed=$found/failed/$target-
    mkdir -p "$folder" "$found/failed"
    log=$found/$target.log
    HOB_FUZZ_TARGET=$target HOB_FUZZ_SEEDS=$folder nice "$program" "$folder" -max_total_time="$seconds" \
        -max_len=16384 -len_control=20 -timeout=20 -report_slow_units=2 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$failed" >"$log" 2>&1
    code=$?
    last=$(grep -aE '^#[0-9]+' "$log" | tail -1)
    field() { sed -nE "s/.* $1: ([0-9]+).*/\1/p" <<<"$last"; }
    runs=$(sed -nE 's/^#([0-9]+).*/\1/p' <<<"$last")
    slowest=$(sed -nE 's/^stat::slowest_unit_time_sec: *//p' "$log")
    memory=$(sed -nE 's/^stat::peak_rss_mb: *//p' "$log")
    mark=' '
    [ $code -eq 0 ] || mark='!'
    printf '%s%-21s %10s %8s %9s %7s %8s %7s\n' "$mark" "$target" "$runs" "$(field cov)" "$(field ft)" "$(find "$folder" -type f | wc -l)" "${slowest:-?}" "${memory:-?}"
done
