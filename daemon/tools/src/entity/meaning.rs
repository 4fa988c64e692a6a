//! Gathers candidates near to the subject in meaning, if the user has a model for it.
//!
//! A vector says that two texts are about similar things, never that one is the other's name: its hits are candidates
//! in addition to those of that name, and no answer by themselves.

use std::sync::Arc;

use hob_base::{CancelToken, Deadline};

use super::gather::{Gathered, SubjectView, definition};
use super::path_step;
use hob_host::{VectorState, Workspace};
use hob_words::entity::fit::{Fit, NameMatchClass};

/// Most symbols and sections that become candidates.
const NEAREST: usize = 12;

/// Least and greatest fit of a candidate by meaning: never so much that it is the answer by itself.
const LEAST: f64 = 0.27;
const MOST: f64 = 0.58;

/// Longest time that a call waits for vectors of recent changes.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);

/// Cosines of the least and the greatest nearness: texts below the first are about something else, texts above the
/// second have the same words.
const FAR: f64 = 0.35;
const NEAR: f64 = 0.85;

pub(super) fn by_meaning(
    workspace: &Arc<Workspace>,
    view: &SubjectView<'_>,
    gathered: &mut Gathered,
    cancel: &CancelToken,
) {
    let cancel = cancel.with_deadline(Deadline::after(PATIENCE));
    let found = workspace.nearest_to_text(&view.request.subject.text, NEAREST * 4, &cancel);
    let map = workspace.map();
    let before = gathered.len();
    let mut taken = 0;
    for (id, cosine) in &found.hits {
        let Some(info) = map.node(id).and_then(|node| map.info(node)) else { continue };
        let Some(path) = info.path.clone().filter(|_| view.admits_node(&map, info.node)) else { continue };
        let near = ((f64::from(*cosine) - FAR) / (NEAR - FAR)).clamp(0.0, 1.0);
        let fit = Fit::of(NameMatchClass::Text, LEAST + (MOST - LEAST) * near);
        gathered.add(definition(workspace, &map, &info, &path, fit));
        taken += 1;
        if taken == NEAREST {
            break;
        }
    }
    let added = gathered.len() - before;
    gathered.steps.push(path_step(
        "generate",
        "meaning",
        "embeddings",
        format!("{added} more candidates; {}", describe_state(&found.state)),
    ));
}

fn describe_state(state: &VectorState) -> String {
    match state {
        VectorState::NoModel => {
            "there is no model (`hob model add DIR` adds one): names and words alone".to_owned()
        }
        VectorState::Broken(why) => format!("the model cannot be used: {why}"),
        VectorState::Building { done, total } => {
            format!("vectors of {done} of {total} symbols, more are being made")
        }
        VectorState::Partial { kept, total } => format!("vectors of {kept} of {total} symbols"),
        _ => "every symbol has a vector".to_owned(),
    }
}
