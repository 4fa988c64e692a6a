//! Tests real editors without a terminal, through `hob-lsp`, on a real server: they open a file, go to a definition,
//! rename and show diagnostics.

use std::process::Command;

use hob_tests::{Output, Tree, World, binaries, editors_debian, run};
use serde_json::Value;

use super::with_pyright;

const SHOP: &str = "\
//- /pyproject.toml
[project]
name = \"shop\"
//- /shop/__init__.py
from .cart import Cart
//- /shop/cart.py
class Cart:
    def __init__(self) -> None:
        self.items: list[int] = []

    def add(self, item: int) -> None:
        self.items.append(item)
//- /main.py
from shop import Cart


def main() -> None:
    cart = Cart()
    cart.add(1)
";

/// Calls the functions that keys are bound to, as a user would. It works in every version since 0.7.
const NEOVIM: &str = r"
local found = {}
local function wait_for(what, holds)
  assert(vim.wait(150000, holds, 20), 'never: ' .. what)
end
local function text_of(name)
  local buffer = vim.fn.bufnr(vim.fn.getcwd() .. '/' .. name)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), '\n')
end
local ok, told = pcall(function()
  vim.o.hidden = true
  vim.cmd('edit ' .. vim.fn.getcwd() .. '/main.py')
  vim.bo.filetype = 'python'
  local client = vim.lsp.start_client({ name = 'hob', cmd = { vim.env.TEST_SERVER }, root_dir = vim.fn.getcwd() })
  local main = vim.api.nvim_get_current_buf()
  vim.lsp.buf_attach_client(main, client)
  wait_for('a greeting', function()
    local known = vim.lsp.get_client_by_id(client)
    return vim.lsp.buf_is_attached(main, client) and known and known.server_capabilities
  end)
  vim.api.nvim_win_set_cursor(0, { 6, 10 })
  vim.lsp.buf.definition()
  wait_for('the definition', function() return vim.fn.expand('%:t') == 'cart.py' end)
  found.definition = vim.api.nvim_get_current_line()
  vim.bo.filetype = 'python'
  vim.lsp.buf_attach_client(0, client)
  vim.lsp.buf.rename('put')
  wait_for('the rename', function() return text_of('main.py'):find('cart.put', 1, true) end)
  vim.cmd('wall')
  vim.cmd('buffer ' .. main)
  vim.api.nvim_buf_set_lines(main, -1, -1, true, { 'undefined_name()' })
  wait_for('what is wrong', function()
    for _, one in ipairs(vim.diagnostic.get(main)) do
      if one.message:find('undefined_name', 1, true) then found.diagnostic = one.lnum end
    end
    return found.diagnostic
  end)
  vim.lsp.stop_client(client)
  wait_for('the end', function() return vim.lsp.client_is_stopped(client) end)
end)
found.ok, found.told = ok, tostring(told)
local file = io.open(vim.env.TEST_RESULTS, 'w')
file:write(vim.fn.json_encode(found))
file:close()
vim.cmd('qall!')
";

const EMACS: &str = r#"
(require 'eglot)
(setq eglot-server-programs (list (cons 'python-mode (list (getenv "TEST_SERVER"))))
      eglot-sync-connect 150 eglot-connect-timeout 150 create-lockfiles nil make-backup-files nil)
(defvar found nil)
(defun wait-for (what holds)
  (with-timeout (150 (error "never: %s" what))
    (while (not (funcall holds)) (accept-process-output nil 0.05))))
(defun wrong-line ()
  (let (line)
    (dolist (one (flymake-diagnostics) line)
      (when (string-match-p "undefined_name" (flymake-diagnostic-text one))
        (setq line (1- (line-number-at-pos (flymake-diagnostic-beg one))))))))
(condition-case told
    (let ((cart (find-file-noselect "shop/cart.py")) (main (find-file-noselect "main.py")))
      (switch-to-buffer main)
      (apply #'eglot--connect (eglot--guess-contact))
      (goto-char (point-min))
      (search-forward "cart.ad")
      (call-interactively #'xref-find-definitions)
      (wait-for "the definition" (lambda () (eq (current-buffer) cart)))
      (push (cons 'definition (buffer-substring (line-beginning-position) (line-end-position))) found)
      (eglot-rename "put")
      (wait-for "the rename"
                (lambda () (with-current-buffer main (string-match-p "cart\\.put" (buffer-string)))))
      (save-some-buffers t)
      (switch-to-buffer main)
      (goto-char (point-max))
      (insert "undefined_name()\n")
      ;; Without a terminal nobody is ever idle, which is when eglot would say it.
      (eglot--signal-textDocument/didChange)
      (flymake-mode 1)
      (flymake-start)
      (wait-for "what is wrong" #'wrong-line)
      (push (cons 'diagnostic (wrong-line)) found)
      (eglot-shutdown (eglot-current-server))
      (push '(ok . t) found))
  (error (push '(ok . :false) found) (push (cons 'told (format "%S" told)) found)))
(with-temp-file (getenv "TEST_RESULTS") (insert (json-serialize found :false-object :false)))
"#;

const VIM: &str = r#"
set hidden nomore noswapfile
let &runtimepath = $VIM_ADDED . ',' . &runtimepath
filetype plugin on
let g:ale_lint_delay = 10
let g:ale_linters = {'python': ['hob']}
runtime plugin/ale.vim
runtime autoload/ale/util.vim
function! ale#util#Input(message, value, ...) abort
  return 'put'
endfunction
call ale#linter#Define('python', {'name': 'hob', 'lsp': 'stdio', 'language': 'python',
  \ 'executable': $TEST_SERVER, 'command': '%e', 'project_root': getcwd()})
let s:found = {}
function! s:WaitFor(what, holds) abort
  let l:start = reltime()
  while !eval(a:holds)
    if reltimefloat(reltime(l:start)) > 150
      throw 'never: ' . a:what
    endif
    sleep 20m
  endwhile
endfunction
function! s:Wrong() abort
  for l:one in ale#engine#GetLoclist(bufnr('main.py'))
    if l:one.text =~# 'undefined_name'
      let s:found.diagnostic = l:one.lnum - 1
    endif
  endfor
  return has_key(s:found, 'diagnostic')
endfunction
try
  edit main.py
  call append(line('$'), 'undefined_name()')
  write
  call ale#Queue(0, 'lint_file')
  call s:WaitFor('what is wrong', 's:Wrong()')
  call cursor(6, 11)
  ALEGoToDefinition
  call s:WaitFor('the definition', "expand('%:t') ==# 'cart.py'")
  let s:found.definition = getline('.')
  ALERename
  call s:WaitFor('the rename', "join(getbufline('main.py', 1, '$')) =~# 'cart.put'")
  wall
  let s:found.ok = v:true
catch
  let s:found.ok = v:false
  let s:found.told = v:exception . ' ' . v:throwpoint
endtry
call writefile([json_encode(s:found)], $TEST_RESULTS)
qall!
"#;

struct Desk {
    tree: Tree,
    world: World,
}

impl Desk {
    fn new() -> Self {
        let world = with_pyright();
        Self { tree: world.tree(SHOP), world }
    }

    fn editor(&self, program: &str) -> Command {
        let mut command = self.world.command(editors_debian::programs().join(program));
        command.current_dir(self.tree.root());
        command
            .env("TEST_SERVER", binaries().join("hob-lsp"))
            .env("TEST_RESULTS", self.world.path("results"));
        command
    }

    /// Checks the results of the script, and the files on disk.
    #[track_caller]
    fn check(&self, output: &Output) {
        let results = std::fs::read_to_string(self.world.path("results")).unwrap_or_default();
        let found: Value = serde_json::from_str(&results).unwrap_or_default();
        let log = self.world.log();
        assert_eq!(found["ok"], true, "{results}{output}\n{log}");
        assert_eq!(found["definition"], "    def add(self, item: int) -> None:", "{results}{output}");
        assert_eq!(found["diagnostic"], 6, "the line that was added: {results}{output}");
        assert!(self.tree.read("main.py").contains("cart.put(1)"), "{}", self.tree.describe());
        assert!(self.tree.read("shop/cart.py").contains("def put(self"), "{}", self.tree.describe());
    }
}

#[test]
fn neovim_works_with_it() {
    let desk = Desk::new();
    let script = desk.world.path("script.lua");
    std::fs::write(&script, NEOVIM).expect("it can be written");
    let mut command = desk.editor("nvim");
    command.args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c"]);
    command.arg(format!("luafile {}", script.display()));
    desk.check(&run(&mut command, b""));
}

#[test]
fn emacs_with_eglot_works_with_it() {
    let desk = Desk::new();
    let script = desk.world.path("script.el");
    std::fs::write(&script, EMACS).expect("it can be written");
    let mut command = desk.editor("emacs");
    desk.check(&run(command.args(["-Q", "--batch", "-l"]).arg(script), b""));
}

#[test]
fn vim_with_ale_works_with_it() {
    let desk = Desk::new();
    let script = desk.world.path("script.vim");
    std::fs::write(&script, VIM).expect("it can be written");
    let mut command = desk.editor("vim");
    desk.check(&run(command.args(["-es", "-N", "-u", "NONE", "-i", "NONE", "-S"]).arg(script), b""));
}
