//! Compares the numbers of arguments of calls with those that a changed signature takes.
//!
//! Files are read here, so the caller must not hold the map.

use std::sync::Arc;

use hob_base::{LineIndex, WsPath};
use hob_change::{Arity, FilePair, count_arguments};
use hob_proto::tools::change::BrokenUse;
use rustc_hash::FxHashMap;

use hob_host::Workspace;
use hob_results::current_bytes;

/// Bytes of a file that are read from the line of a call.
const LONGEST: usize = 4_000;

/// A call that may pass another number of arguments than its callee takes now.
pub(super) struct CallToCheck {
    pub(super) path: WsPath,
    /// The name of the callee.
    pub(super) name: String,
    pub(super) before: Arity,
    pub(super) after: Arity,
    /// The use without a reason.
    pub(super) found: BrokenUse,
}

/// The bytes of a file with its lines.
type CallText = (Arc<[u8]>, LineIndex);

/// A reader of the texts of calls, which reads each file once.
pub(super) struct CallChecker<'a> {
    workspace: &'a Workspace,
    texts: FxHashMap<WsPath, Option<CallText>>,
}

impl<'a> CallChecker<'a> {
    /// Returns a checker that knows the files of a change as they are after it.
    pub(super) fn new(workspace: &'a Workspace, pairs: &[FilePair]) -> Self {
        let after = pairs.iter().filter_map(|pair| pair.after.as_ref());
        let texts =
            after.map(|file| (file.path.clone(), Some((file.bytes.clone(), LineIndex::new(&file.bytes)))));
        Self { workspace, texts: texts.collect() }
    }

    /// Returns the calls that fitted before the change and do not fit now.
    pub(super) fn misfits(&mut self, calls: Vec<CallToCheck>) -> Vec<BrokenUse> {
        calls.into_iter().filter_map(|call| self.misfit_of_call(call)).collect()
    }

    fn misfit_of_call(&mut self, call: CallToCheck) -> Option<BrokenUse> {
        let rest = self.text_from(&call.path, call.found.line)?;
        let counts = count_arguments(&rest, &call.name).into_iter().flatten();
        let is_misfit = |count: &usize| call.before.takes(*count) && !call.after.takes(*count);
        let count = counts.into_iter().find(is_misfit)?;
        let why = format!("passes {count}, takes {}", told_arity(call.after));
        Some(BrokenUse { why, ..call.found })
    }

    fn text_from(&mut self, path: &WsPath, line: u32) -> Option<String> {
        let workspace = self.workspace;
        let text = self.texts.entry(path.clone()).or_insert_with(|| {
            let bytes = current_bytes(workspace, path)?;
            Some((bytes.clone(), LineIndex::new(&bytes)))
        });
        let (bytes, lines) = text.as_ref()?;
        let start = lines.line_range(line)?.start;
        Some(String::from_utf8_lossy(&bytes[start..bytes.len().min(start + LONGEST)]).into_owned())
    }
}

pub(super) fn told_arity(arity: Arity) -> String {
    match arity.most {
        Some(most) if most == arity.least => most.to_string(),
        Some(most) => format!("{} to {most}", arity.least),
        None => format!("{} or more", arity.least),
    }
}
