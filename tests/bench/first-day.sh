#!/usr/bin/env bash
# A user's first day, and the last: a new user with an empty home clones this repository, follows the README's two commands as
# they are written, asks as an agent would, has the service's files written, and removes everything again. Needs root, to make
# the user. Says what is left in the home folder at the end; exits with 1 if that is anything but the clone and what cargo keeps.
#
#   tests/bench/first-day.sh            # everything, with the release build that the README names (ten minutes on two cores)
#   tests/bench/first-day.sh --built target/debug    # all but the build, with programs that are there
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
# What a log-in gives.
install -d -o "$user" -m 700 "$shared/run"
mount --bind "$cargo_home" "$shared/cargo"
mount --bind "$rustup_home" "$shared/rustup"

as_user() {
    su "$user" -c "cd ~ && env -i HOME='$home' USER='$user' LANG=C.UTF-8 RUSTUP_HOME='$shared/rustup' XDG_RUNTIME_DIR='$shared/run' \
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
        install -o "$user" "$2/$program" "$home/hob/target/release/$program"
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
    as_user "systemd-analyze --user verify ~/.config/systemd/user/hobd.service && echo verified"
fi
as_user "cd hob && ./target/release/hob service status"

step "the way out"
as_user "cd hob && ./target/release/hob service uninstall"
as_user "cd hob && ./target/release/hob setup --undo --yes"
as_user "cd hob && ./target/release/hob purge --settings --yes"
as_user "cd hob && git status --short" | sed 's/^/in the clone: /'
as_user "find . -path ./hob -prune -o -print | sort" > "$shared/after"
# Those that have ended and that nobody has waited for yet are not processes.
if ps -u "$user" -o stat=,pid=,args= | grep -v '^Z'; then echo "processes are left"; exit 1; fi
# What cargo keeps in the home folder is cargo's; folders that the platform has for everybody may stay, without anything in them.
of_others='^\./(\.cargo(/.*)?|\.rustup(/.*)?|\.cache|\.config|\.local|\.local/state)$'
if diff <(grep -vE "$of_others" "$shared/before") <(grep -vE "$of_others" "$shared/after"); then
    echo "nothing is left behind"
else
    echo "left behind: see above"
    exit 1
fi
