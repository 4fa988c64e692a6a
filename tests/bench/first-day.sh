#!/usr/bin/env bash
# A user's first day, and the last: a new user with an empty home clones this repository, follows the README's two commands as
# they are written, asks as an agent would, has the service's files written, and removes everything again. Needs root, to make
# the user. Says what is left in the home folder at the end; exits with 1 if that is anything but the clone and what cargo keeps.
#
#   tests/bench/first-day.sh            # everything, with the release build that the README names (ten minutes on two cores)
#   tests/bench/first-day.sh --built    # with this checkout's release build: all but the build
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
user=hob-first-day-$$
[ "$(id -u)" = 0 ] || { echo "needs root, to make a user" >&2; exit 2; }

cargo_home=${CARGO_HOME:-$HOME/.cargo}
rustup_home=${RUSTUP_HOME:-$HOME/.rustup}
shared=$(mktemp -d /tmp/hob-first-day.XXXXXX)
useradd --create-home --shell /bin/bash "$user"
home=$(getent passwd "$user" | cut -d: -f6)
leave() {
    pkill -u "$user" || true
    umount "$shared/cargo" "$shared/rustup" 2>/dev/null || true
    userdel --remove "$user" >/dev/null 2>&1 || true
    rm -rf "$shared"
}
trap leave EXIT

# The toolchain is the machine's; another user may not be able to look into the folder that it lies in.
chmod 755 "$shared"
mkdir "$shared/cargo" "$shared/rustup"
mount --bind "$cargo_home" "$shared/cargo"
mount --bind "$rustup_home" "$shared/rustup"

as_user() {
    su "$user" -c "cd ~ && env -i HOME='$home' USER='$user' LANG=C.UTF-8 RUSTUP_HOME='$shared/rustup' \
        PATH='$shared/cargo/bin:/usr/local/bin:/usr/bin:/bin' bash -euo pipefail -c \"\$0\"" -- "$1" 2>&1 || { echo "FAILED: $1"; exit 1; }
}
step() { printf '\n== %s\n' "$*"; }

step clone
git -C "$here" bundle create "$shared/hob.bundle" HEAD main >/dev/null 2>&1
chmod 644 "$shared/hob.bundle"
as_user "git clone -q -b main '$shared/hob.bundle' hob"
if [ -f "$cargo_home/config.toml" ]; then
    install -D -o "$user" -m 600 "$cargo_home/config.toml" "$home/.cargo/config.toml"
fi
as_user "find . -path ./hob -prune -o -print | sort" > "$shared/before"

command=$(awk '/<!-- main command -->/ {getline; getline; print; exit}' "$here/README.md")
if [ "${1:-}" = --built ]; then
    as_user "mkdir -p hob/target/release"
    for program in hob hobd hob-mcp hob-lsp; do
        install -o "$user" "$here/target/release/$program" "$home/hob/target/release/$program"
    done
    command=${command#*&& }
fi
step "$command"
as_user "cd hob && $command" | tail -n 12

setup=$(awk '/<!-- setup command -->/ {getline; getline; print; exit}' "$here/README.md")
step "$setup --yes"
as_user "cd hob && $setup --yes"

step "an agent's first question"
as_user "cd hob && python3 tests/bench/first_question.py ./target/release/hob-mcp"

step "doctor, status, stats"
as_user "cd hob && ./target/release/hob doctor || true"
as_user "cd hob && ./target/release/hob status"
as_user "cd hob && ./target/release/hob stats"

step "the service's files"
as_user "cd hob && ./target/release/hob service install --no-start"
if command -v systemd-analyze >/dev/null; then
    as_user "systemd-analyze --user verify ~/.config/systemd/user/hobd.service && echo verified" || true
fi
as_user "cd hob && ./target/release/hob service status || true"

step "the way out"
as_user "cd hob && ./target/release/hob service uninstall"
as_user "cd hob && ./target/release/hob setup --undo --yes"
as_user "cd hob && ./target/release/hob purge --settings --yes"
as_user "cd hob && git status --short" | sed 's/^/in the clone: /'
as_user "find . -path ./hob -prune -o -print | sort" > "$shared/after"
if pgrep -u "$user" -a; then echo "processes are left"; exit 1; fi
# What cargo keeps in the home folder is cargo's.
if diff <(grep -v '^\./\.cargo' "$shared/before") <(grep -v '^\./\.cargo' "$shared/after"); then
    echo "nothing is left behind"
else
    echo "left behind: see above"
    exit 1
fi
