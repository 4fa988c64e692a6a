//! Configures Emacs: `eglot`, which is part of it from version 29 on.

use super::languages::Language;
use super::plan::{EditorSetupPlan, EditorSetupStep, mark_line};
use super::surroundings::Surroundings;

pub(super) fn plan(at: &Surroundings, languages: &[Language]) -> EditorSetupPlan {
    let folder = emacs_folder(at);
    let mark = mark_line("emacs");
    let modes: Vec<&str> = languages.iter().flat_map(|language| language.emacs).copied().collect();
    let modes = modes.join("\n                 ");
    let command = at.quoted_words(" ");
    let text = format!(
        ";; {mark} -*- lexical-binding: t -*-
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '(({modes})
                 . ({command}))))
"
    );
    let load = "(load (locate-user-emacs-file \"hob-eglot.el\") t)\n";
    EditorSetupPlan {
        steps: vec![
            EditorSetupStep::file("The server", folder.join("hob-eglot.el"), text),
            EditorSetupStep::into("To use it", folder.join("init.el"), load),
        ],
        notes: vec![
            "`M-x eglot` starts it in a buffer; (add-hook 'python-mode-hook #'eglot-ensure), say, does it for all",
            "Emacs before 29 needs the package `eglot` from GNU ELPA",
        ],
    }
}

/// Returns the folder that Emacs uses: the older one if it exists.
fn emacs_folder(at: &Surroundings) -> std::path::PathBuf {
    let older = at.home_path(".emacs.d");
    let newer = at.config_path("emacs");
    if newer.is_dir() && !older.is_dir() { newer } else { older }
}
