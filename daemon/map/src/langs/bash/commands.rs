//! Records commands: calls of the project's functions, files that are sourced, functions that are named to be called
//! later.

use super::grammar::ShellKind;
use super::rules::ShellRules;
use crate::facts::{ImportInput, ImportKind, RefKind};
use crate::langs::support::each_child;
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// Commands that run the command after them.
const RUNNERS: &[&str] =
    &["time", "exec", "nohup", "retry", "run", "eval", "xargs", "command_not_found_handle"];

impl ShellRules {
    pub(super) fn visit_command<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name).and_then(|name| name.child(0)) else {
            return WalkStep::Into;
        };
        // In `VAR=1 command`, the variable is set for the command alone.
        each_child(node, |c, _| {
            if self.g.kind(c) == ShellKind::Assignment {
                self.handled.mark(c);
            }
        });
        if name.kind() != "word" {
            return WalkStep::Into;
        }
        let word = cx.text(name);
        let mut arguments = Vec::new();
        each_child(node, |c, field| arguments.extend((field == self.g.f.argument).then_some(c)));
        match word {
            "source" | "." => self.import_sourced(&arguments, cx),
            "alias" => arguments.iter().for_each(|argument| self.define_alias(*argument, cx)),
            "trap" => self.named_function(arguments.first(), cx),
            "load" => self.load(&arguments, cx),
            "@test" => return self.define_test(node, &arguments, cx),
            _ => {
                if is_plain(word) {
                    self.refer_name(name, RefKind::Call, cx);
                }
                if RUNNERS.contains(&word) {
                    self.named_function(arguments.first(), cx);
                }
            }
        }
        WalkStep::Into
    }

    /// Records a call of the function that an argument names as a command: `trap cleanup EXIT`, Bats' `run build`.
    fn named_function(&mut self, argument: Option<&Node<'_>>, cx: &mut Cx<'_>) {
        if let Some(argument) = argument.filter(|a| a.kind() == "word" && is_plain(cx.text(**a))) {
            self.refer_name(*argument, RefKind::Call, cx);
        }
    }

    fn import_sourced(&mut self, arguments: &[Node<'_>], cx: &mut Cx<'_>) {
        let Some(path) = arguments.first() else { return };
        if let Some(module) = sourced_path(cx.text(*path)) {
            self.import_all(&module, *path, cx);
        }
    }

    /// Records the import of Bats' `load helper`.
    fn load(&mut self, arguments: &[Node<'_>], cx: &mut Cx<'_>) {
        let Some(path) = arguments.first() else { return };
        if let Some(module) = sourced_path(cx.text(*path)) {
            let ending =
                if module.rsplit('/').next().is_some_and(|name| name.contains('.')) { "" } else { ".bash" };
            self.import_all(&format!("{module}{ending}"), *path, cx);
        }
    }

    fn import_all(&mut self, module: &str, at: Node<'_>, cx: &mut Cx<'_>) {
        cx.facts.add_import(&ImportInput {
            kind: ImportKind::Star,
            module,
            name: None,
            local: None,
            reexported: true,
            owner: None,
            line: Cx::lines(at).0,
        });
    }
}

/// Returns true if a word is a name that a function can have.
fn is_plain(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '+'))
}

/// Returns the path that is sourced: `./x` beside the script, `*/x` if only the end of the path is known, `x` as
/// written. `None` if not even the file's name is plain.
fn sourced_path(written: &str) -> Option<String> {
    let path = written.replace(['"', '\''], "");
    let beside = [
        "$(dirname $0)/",
        "$(dirname -- $0)/",
        "${0%/*}/",
        "$(dirname ${BASH_SOURCE[0]})/",
        "$(dirname $BASH_SOURCE)/",
        "${BASH_SOURCE%/*}/",
        "${BASH_SOURCE[0]%/*}/",
        "$(dirname ${BASH_SOURCE})/",
        "$(dirname $(readlink -f $0))/",
        "$(dirname $(realpath $0))/",
        "$(cd $(dirname $0) && pwd)/",
        "$(cd $(dirname ${BASH_SOURCE[0]}) && pwd)/",
        "`dirname $0`/",
        "$BATS_TEST_DIRNAME/",
        "${BATS_TEST_DIRNAME}/",
    ];
    if let Some(rest) = beside.iter().find_map(|start| path.strip_prefix(start)) {
        return is_fixed(rest).then(|| format!("./{rest}"));
    }
    if is_fixed(&path) {
        return (!path.is_empty() && !path.starts_with("/dev/")).then_some(path);
    }
    // `$root/lib/x.sh`: the end of the path is the text behind the last expansion.
    let after = path.rfind(['}', ')', '`']).map_or(0, |at| at + 1);
    let rest = &path[after..];
    let cut = match rest.rfind('$') {
        Some(at) => at + rest[at..].find('/')?,
        None => rest.find('/').filter(|at| *at == 0 || after == 0)?,
    };
    let end = rest[cut..].trim_start_matches('/');
    (is_fixed(end) && !end.is_empty()).then(|| format!("*/{end}"))
}

fn is_fixed(path: &str) -> bool {
    !path.contains(['$', '`', '*', '(', '{', '<', '?', '\\', ' '])
}

#[cfg(test)]
mod tests {
    use super::sourced_path;

    #[test]
    fn what_is_sourced() {
        for (written, module) in [
            ("./lib.sh", Some("./lib.sh")),
            ("\"$(dirname \"$0\")/a/lib.sh\"", Some("./a/lib.sh")),
            ("\"${BASH_SOURCE%/*}/lib.sh\"", Some("./lib.sh")),
            ("\"$DIR/lib.sh\"", Some("*/lib.sh")),
            ("\"${ROOT}\"/lib/x.sh", Some("*/lib/x.sh")),
            ("\"$(pwd)/x.sh\"", Some("*/x.sh")),
            ("\"$file\"", None),
            ("\"$dir/$name.sh\"", None),
            ("/dev/stdin", None),
            ("<(kubectl completion bash)", None),
        ] {
            assert_eq!(sourced_path(written).as_deref(), module, "{written}");
        }
    }
}
