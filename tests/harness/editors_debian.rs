//! Real editors from Debian's packages: Neovim, Emacs with eglot, Vim with ALE, all without a terminal.
//!
//! As with the servers in `debian`, nothing is installed: packages are unpacked into a folder of the tests, and small
//! scripts tell each editor the paths of its parts.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::debian::{Packages, fetch, script};
use crate::outside::prepared;

const PACKAGES: Packages = &[
    ("neovim", &["./usr/bin"]),
    ("neovim-runtime", &["./usr/share/nvim"]),
    ("emacs-nox", &["./usr/bin", "./usr/lib", "./usr/libexec", "./usr/share/emacs"]),
    ("emacs-common", &["./usr/share/emacs"]),
    ("emacs-el", &["./usr/share/emacs"]),
    ("elpa-eglot", &["./usr/share/emacs"]),
    ("vim", &["./usr/bin"]),
    ("vim-runtime", &["./usr/share/vim"]),
    ("vim-ale", &["./usr/share/vim-ale"]),
];

/// Returns a folder with `nvim`, `emacs` and `vim`. Emacs finds eglot by itself; Vim finds ALE where `VIM_ADDED` says.
pub fn programs() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = prepared("editors", &format!("{PACKAGES:?}"), |folder| {
            fetch(folder, PACKAGES);
            write_scripts(&folder.join("bin"), &folder.join("root"));
        });
        folder.join("bin")
    })
}

fn write_scripts(bin: &Path, root: &Path) {
    fs::create_dir(bin).expect("a folder can be made");
    let root = root.display();
    let libraries = format!(
        "for folder in '{root}'/usr/lib/*-linux-gnu '{root}'/lib/*-linux-gnu; do\n\
         LD_LIBRARY_PATH=\"$folder:$LD_LIBRARY_PATH\"; done\nexport LD_LIBRARY_PATH"
    );
    let nvim = format!(
        "{libraries}\nexport VIMRUNTIME='{root}/usr/share/nvim/runtime'\nexec '{root}/usr/bin/nvim' \"$@\""
    );
    script(&bin.join("nvim"), &nvim);
    let emacs = format!(
        "{libraries}\n\
         own=$(echo '{root}'/usr/share/emacs/2*)\n\
         load=$(find \"$own/lisp\" -type d | tr '\\n' ':')\n\
         added=$(find '{root}/usr/share/emacs/site-lisp/elpa-src' -mindepth 1 -maxdepth 1 | tr '\\n' ':')\n\
         image=$(find '{root}/usr/libexec/emacs' -name '*.pdmp')\n\
         export EMACSDATA=\"$own/etc\" EMACSDOC=\"$own/etc\" EMACSLOADPATH=\"$added$load\" \
         EMACSPATH=\"${{image%/*}}\"\n\
         exec '{root}/usr/bin/emacs-nox' --dump-file=\"$image\" \"$@\""
    );
    script(&bin.join("emacs"), &emacs);
    let vim = format!(
        "{libraries}\n\
         export VIM_ADDED='{root}/usr/share/vim-ale' VIMRUNTIME=$(echo '{root}'/usr/share/vim/vim9*)\n\
         exec '{root}/usr/bin/vim.basic' \"$@\""
    );
    script(&bin.join("vim"), &vim);
}
