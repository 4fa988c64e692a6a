//! Configures Neovim: from 0.11 on by a file that describes the server, before that by a few lines of Lua.

use super::languages::Language;
use super::plan::{EditorSetupPlan, EditorSetupStep, mark_line};
use super::surroundings::{Surroundings, list};

pub(super) fn plan(at: &Surroundings, languages: &[Language]) -> EditorSetupPlan {
    let folder = if cfg!(windows) { at.home_path("AppData/Local/nvim") } else { at.config_path("nvim") };
    let (command, mark) = (at.quoted_words(", "), mark_line("neovim"));
    let types = list(languages.iter().flat_map(|language| language.vim).copied(), ", ");
    let server = format!(
        "-- {mark}
return {{
  cmd = {{ {command} }},
  filetypes = {{ {types} }},
  root_markers = {{ \".git\", \".hg\", \".jj\" }},
}}
"
    );
    let enable = "vim.lsp.enable(\"hob\")\n";
    let older = format!(
        "vim.api.nvim_create_autocmd(\"FileType\", {{
  pattern = {{ {types} }},
  callback = function(event)
    local file = vim.api.nvim_buf_get_name(event.buf)
    local found = vim.fs.find({{ \".git\", \".hg\", \".jj\" }}, {{ upward = true, path = vim.fs.dirname(file) }})[1]
    local root = found and vim.fs.dirname(found) or vim.fn.getcwd()
    vim.lsp.start({{ name = \"hob\", cmd = {{ {command} }}, root_dir = root }})
  end,
}})
"
    );
    let oldest = format!(
        "local hob
vim.api.nvim_create_autocmd(\"FileType\", {{
  pattern = {{ {types} }},
  callback = function(event)
    hob = hob or vim.lsp.start_client({{ name = \"hob\", cmd = {{ {command} }}, root_dir = vim.fn.getcwd() }})
    vim.lsp.buf_attach_client(event.buf, hob)
  end,
}})
"
    );
    let init = folder.join("init.lua");
    EditorSetupPlan {
        steps: vec![
            EditorSetupStep::file("The server", folder.join("lsp/hob.lua"), server),
            EditorSetupStep::into("To use it", init.clone(), enable),
            EditorSetupStep::instead("For Neovim 0.8 to 0.10", init.clone(), older),
            EditorSetupStep::instead("For Neovim 0.7", init, oldest),
        ],
        notes: vec!["servers that are enabled for the same files beside hob answer beside it: disable them"],
    }
}
