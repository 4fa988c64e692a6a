//! Configures Vim: two plug-ins are in use, and one file serves either.

use super::languages::Language;
use super::plan::{EditorSetupPlan, EditorSetupStep, mark_line};
use super::surroundings::{Surroundings, list};

pub(super) fn plan(at: &Surroundings, languages: &[Language]) -> EditorSetupPlan {
    let folder = at.home_path(if cfg!(windows) { "vimfiles" } else { ".vim" });
    let mark = mark_line("vim");
    let types = list(languages.iter().flat_map(|language| language.vim).copied(), ", ").replace('"', "'");
    let (command, options) = (at.vim_command(), at.vim_options());
    let args =
        options.strip_prefix(", ").map(|args| format!("\n        \\ 'args': [{args}],")).unwrap_or_default();
    let text = format!(
        "\" {mark}
let s:types = [{types}]
let s:command = {command}
let s:marks = ['.git/', '.git', '.hg/', '.jj/']

\" For prabirshrestha/vim-lsp.
function! s:vim_lsp() abort
  call lsp#register_server({{
        \\ 'name': 'hob',
        \\ 'cmd': [s:command{options}],
        \\ 'allowlist': s:types,
        \\ 'root_uri': function('s:root'),
        \\ }})
endfunction

function! s:root(info) abort
  let l:found = lsp#utils#find_nearest_parent_file_directory(lsp#utils#get_buffer_path(), s:marks)
  return lsp#utils#path_to_uri(empty(l:found) ? getcwd() : l:found)
endfunction

\" For yegappan/lsp.
function! s:yegappan_lsp() abort
  call LspAddServer([{{
        \\ 'name': 'hob',
        \\ 'path': exepath(s:command),{args}
        \\ 'filetype': s:types,
        \\ 'rootSearch': s:marks,
        \\ }}])
endfunction

augroup hob_lsp
  autocmd!
  autocmd User lsp_setup call s:vim_lsp()
  autocmd User LspSetup call s:yegappan_lsp()
augroup END
"
    );
    EditorSetupPlan {
        steps: vec![EditorSetupStep::file("The server", folder.join("plugin/hob.vim"), text)],
        notes: vec![
            "Vim needs a plug-in to speak with servers: prabirshrestha/vim-lsp or yegappan/lsp; without one, the file does nothing",
        ],
    }
}
