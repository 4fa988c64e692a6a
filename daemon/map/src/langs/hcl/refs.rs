//! Records uses: the addresses that expressions name.
//!
//! An address is read from the text behind a variable (`aws_instance.web[0].id`), because the grammar attaches the
//! names behind an operator to the whole operation. Indexes and splats between the names are passed over.

use hob_base::line_index::utf16_len;

use super::rules::HclRules;
use crate::facts::{Receiver, RefInput, RefKind};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// Most names of an address: `module.vpc.subnets`, `data.aws_ami.ubuntu`.
const LONGEST: usize = 3;

/// Longest text of an address that is read, in bytes.
const TEXT_LIMIT: usize = 512;

/// Names that begin no address of a block: they stand for something of the current block or of the tool.
const NO_ADDRESSES: [&str; 8] = ["each", "count", "self", "path", "terraform", "packer", "build", "null"];

/// Names that begin an address of their own kind, even in an attribute that names providers.
const KINDS: [&str; 4] = ["var", "local", "data", "module"];

impl HclRules {
    pub(super) fn visit_variable(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let start = node.start_byte();
        let text = cx.slice(start, start.saturating_add(TEXT_LIMIT).min(cx.source.len()));
        let steps = address_names(text);
        let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
        let Some(address) = self.address_of(&names, start, cx) else { return WalkStep::Skip };
        cx.refer(&address, node, RefKind::Use, Receiver::None);
        if let (["module", _, output], Some(step)) = (&names[..], steps.last()) {
            let (line, col) = cx.position(node);
            let receiver = Receiver::Path(cx.facts.intern(&address));
            cx.facts.add_reference(&RefInput {
                name: &format!("output.{output}"),
                kind: RefKind::Use,
                receiver,
                owner: cx.owner(),
                line,
                col: col + utf16_len(&text.as_bytes()[..step.at]),
            });
        }
        WalkStep::Skip
    }

    /// Returns the address of the block that names stand for; `None` if they stand for none.
    fn address_of(&self, names: &[&str], at: usize, cx: &mut Cx<'_>) -> Option<String> {
        let root = *names.first()?;
        if cx.local_binding(root).is_some() || NO_ADDRESSES.contains(&root) {
            return None;
        }
        if at < self.providers_end && !KINDS.contains(&root) {
            return Some(format!("provider.{}", names[..names.len().min(2)].join(".")));
        }
        match names {
            ["resource", ty, name] => Some(format!("{ty}.{name}")),
            ["data" | "ephemeral" | "source", _, _] => Some(names.join(".")),
            ["data" | "ephemeral" | "source" | "resource", ..] => None,
            [_, name, ..] => Some(format!("{root}.{name}")),
            _ => None,
        }
    }
}

/// A name of an address, and the byte of the text at which it begins.
struct AddressStep<'t> {
    name: &'t str,
    at: usize,
}

/// Returns the names that a text begins with.
fn address_names(text: &str) -> Vec<AddressStep<'_>> {
    let mut steps = Vec::new();
    let mut at = 0;
    while steps.len() < LONGEST {
        let rest = &text[at..];
        let length =
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(rest.len());
        if length == 0 {
            break;
        }
        steps.push(AddressStep { name: &rest[..length], at });
        at += length;
        at += indexes_length(&text[at..]);
        if !text[at..].starts_with('.') {
            break;
        }
        at += 1;
    }
    steps
}

/// Returns the length of the indexes and splats that a text begins with: `[0]`, `["a"]`, `[*]`, `.*`, `.0`.
fn indexes_length(text: &str) -> usize {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        length += match rest.as_bytes() {
            [b'[', ..] => match closing_bracket(rest) {
                Some(end) => end,
                None => return length,
            },
            [b'.', b'*', ..] => 2,
            [b'.', digit, ..] if digit.is_ascii_digit() => {
                1 + rest[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - 1)
            }
            _ => return length,
        };
    }
}

/// Returns the length up to the bracket that closes the one at the beginning of a text.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' if depth == 1 => return Some(at + 1),
            b']' => depth -= 1,
            _ => {}
        }
    }
    None
}
