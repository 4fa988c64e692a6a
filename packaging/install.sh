#!/bin/sh
# Installs hob from a release's archive, below ~/.local or another prefix, and removes it again.
#
#   sh install.sh                      install or upgrade
#   sh install.sh --prefix /usr/local  somewhere else (run it as a user who may write there)
#   sh install.sh --uninstall          remove what was installed; --purge removes hob's own data as well
#
# The archive is checked against SHA256SUMS before it is unpacked. Everything is in functions, and `main` is called by the very
# last line: a script that breaks off half-way through a pipe does nothing.
set -eu

version=0.1.0
base=https://example.invalid/hob/releases/download
receipt_name=share/hob/installed

usage() {
    cat <<'EOF'
Usage: sh install.sh [--prefix DIR] [--version VERSION]
       sh install.sh --uninstall [--prefix DIR] [--purge]

Installs hob, hobd, hob-mcp and hob-lsp with manual pages, completions and documents.

  --prefix DIR       install below this folder (default: ~/.local)
  --version VERSION  another version than this script's own
  --uninstall        stop hob and remove exactly the files that were installed
  --purge            with --uninstall: remove hob's settings, data and cache as well (`hob purge`)
  -h, --help         this text

Environment:
  HOB_DOWNLOAD_BASE  where the archive and SHA256SUMS are: an https:// address, or the absolute path of a folder
EOF
}

say() { printf '%s\n' "$*"; }
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# What releases call this machine.
target() {
    case "$(uname -s)/$(uname -m)" in
        Linux/x86_64 | Linux/amd64) cpu=x86_64 ;;
        Linux/aarch64 | Linux/arm64) cpu=aarch64 ;;
        Darwin/arm64) echo aarch64-apple-darwin && return ;;
        MINGW*/* | MSYS*/*) fail "on Windows unpack the release's zip archive, or install by npm, pip or cargo" ;;
        Darwin/x86_64) echo x86_64-apple-darwin && return ;;
        *) fail "there is no archive for $(uname -s) on $(uname -m); build hob from source instead" ;;
    esac
    # musl's loader is the only thing that is certain to be there where glibc is not.
    if ls /lib/ld-musl-* >/dev/null 2>&1 && ! ls /lib*/ld-linux* >/dev/null 2>&1; then
        fail "this system has musl instead of glibc, which the archives need; build hob from source instead"
    fi
    echo "$cpu-unknown-linux-gnu"
}

fetch() { # FILE TO
    case "$base" in
        /*) cp "$base/$1" "$2" || fail "$base has no $1" ;;
        https://* | http://127.0.0.1:* | http://localhost:*) download "$base/$1" "$2" ;;
        *) fail "HOB_DOWNLOAD_BASE must be an https:// address or an absolute path, not '$base'" ;;
    esac
}

download() { # URL TO
    if command -v curl >/dev/null 2>&1; then
        curl --fail --silent --show-error --location --output "$2" "$1" || fail "cannot download $1"
    elif command -v wget >/dev/null 2>&1; then
        wget --quiet --output-document="$2" "$1" || fail "cannot download $1"
    else
        fail "neither curl nor wget is installed; download $1 yourself and set HOB_DOWNLOAD_BASE to its folder"
    fi
}

digest() { # FILE
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum <"$1"
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256 <"$1"
    elif command -v openssl >/dev/null 2>&1; then
        openssl dgst -sha256 -r <"$1"
    else
        fail "none of sha256sum, shasum and openssl is installed, so the archive cannot be checked"
    fi
}

check() { # NAME, which lies with SHA256SUMS in $work
    expected=$(awk -v name="$1" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")
    [ -n "$expected" ] || fail "SHA256SUMS says nothing of $1"
    found=$(digest "$work/$1" | awk '{ print $1 }')
    [ "$found" = "$expected" ] || fail "$1 is not what SHA256SUMS says (found $found, expected $expected); nothing was installed"
}

# What is installed is listed in $receipt: `f FILE` and `d FOLDER` that was made for it, relative to the prefix.
make_folder() { # FOLDER below the prefix
    [ -d "$prefix/$1" ] && return
    case "$1" in */*) make_folder "${1%/*}" ;; esac
    mkdir "$prefix/$1"
    printf 'd %s\n' "$1" >>"$work/made"
}

place() { # FILE: a name that is in use is replaced, never written into
    make_folder "${1%/*}"
    cp -p "$work/tree/$1" "$prefix/$1.new.$$"
    mv -f "$prefix/$1.new.$$" "$prefix/$1"
}

install() {
    target=$(target)
    name=hob-$version-$target
    fetch SHA256SUMS "$work/SHA256SUMS"
    fetch "$name.tar.xz" "$work/$name.tar.xz"
    check "$name.tar.xz"
    mkdir "$work/unpacked"
    tar -xJf "$work/$name.tar.xz" -C "$work/unpacked" || fail "$name.tar.xz cannot be unpacked (tar needs xz for it)"
    mv "$work/unpacked/$name" "$work/tree" || fail "$name.tar.xz has no folder $name"
    "$work/tree/bin/hob" --version >/dev/null || fail "the programs do not run on this system; build hob from source instead"
    (cd "$work/tree" && find . -type f | sed 's|^\./||' | sort) >"$work/files"

    : >"$work/made"
    if [ ! -d "$prefix" ]; then
        mkdir -p "$prefix" || fail "$prefix cannot be made; choose another with --prefix"
        echo 'd .' >"$work/made"
    fi
    [ -w "$prefix" ] || fail "$prefix cannot be written to; choose another with --prefix"
    make_folder "${receipt_name%/*}"
    if [ -f "$receipt" ]; then
        sed -n '/^d /p' "$receipt" >>"$work/made"
        sed -n 's/^f //p' "$receipt" >"$work/before"
    fi
    while IFS= read -r file; do place "$file"; done <"$work/files"
    if [ -f "$work/before" ]; then
        while IFS= read -r file; do
            grep -Fqx "$file" "$work/files" || remove_file "$file"
        done <"$work/before"
    fi
    { sed 's/^/f /' "$work/files" && cat "$work/made"; } >"$receipt.new.$$"
    mv -f "$receipt.new.$$" "$receipt"
    say "hob $version is installed in $prefix/bin"
    case ":$PATH:" in
        *":$prefix/bin:"*) ;;
        *) say "Put it on your PATH:  export PATH=\"$prefix/bin:\$PATH\"" ;;
    esac
    say "Next:  hob setup      (agents and editors)     hob map      (what is in this code base)"
}

remove_file() { # FILE below the prefix, as the receipt has it
    case "/$1/" in
        */../*) fail "$receipt names '$1', which this script never wrote; remove what it lists by hand" ;;
    esac
    rm -f "$prefix/$1"
}

uninstall() {
    [ -f "$receipt" ] || fail "no hob that this script installed is in $prefix ($receipt is missing); --prefix names another"
    hob=$prefix/bin/hob
    if [ -x "$hob" ]; then
        "$hob" service uninstall >/dev/null 2>&1 || true
        if [ "$purge" = yes ]; then
            "$hob" purge --yes --settings || fail "hob's own data could not be removed, so nothing was"
        fi
        "$hob" stop >/dev/null 2>&1 || say "warning: hob's daemon could not be stopped; it ends by itself"
    fi
    cp "$receipt" "$work/receipt"
    rm -f "$receipt"
    sed -n 's/^f //p' "$work/receipt" >"$work/files"
    while IFS= read -r file; do remove_file "$file"; done <"$work/files"
    # Inner folders last in the list of what was made, so from its end; a folder with something else in it stays.
    sed -n 's/^d //p' "$work/receipt" | sort -r >"$work/folders"
    while IFS= read -r folder; do
        [ "$folder" = . ] || rmdir "$prefix/$folder" 2>/dev/null || true
    done <"$work/folders"
    if grep -Fqx . "$work/folders"; then rmdir "$prefix" 2>/dev/null || true; fi
    say "hob is removed from $prefix"
}

main() {
    prefix=${HOME:?HOME is not set; name a folder with --prefix}/.local
    action=install
    purge=no
    while [ $# -gt 0 ]; do
        case "$1" in
            --prefix | --version)
                [ $# -ge 2 ] || fail "$1 needs a value"
                if [ "$1" = --prefix ]; then prefix=$2; else version=$2; fi
                shift
                ;;
            --uninstall) action=uninstall ;;
            --purge) purge=yes ;;
            -h | --help) usage && exit 0 ;;
            *) fail "unknown argument '$1'; --help lists them" ;;
        esac
        shift
    done
    case "$prefix" in
        /*) ;;
        *) fail "--prefix must be an absolute path, not '$prefix'" ;;
    esac
    [ "$purge" = no ] || [ "$action" = uninstall ] || fail "--purge goes with --uninstall"
    base=${HOB_DOWNLOAD_BASE:-$base/v$version}
    receipt=$prefix/$receipt_name
    umask 022
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    "$action"
}

main "$@"
