//! Checks a far side that the command line names: whether it can be reached without a prompt, and which hob is there.

use hob_client::far::FarGreeting;

use super::check::{Check, Finding};
use super::surroundings::{FarSurroundings, Surroundings};

pub(super) const CHECKS: &[Check] = &[Check { name: "far-side", run: judge_far_side }];

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn judge_far_side(around: &Surroundings) -> Vec<Finding> {
    let Some(FarSurroundings { host, greeting }) = &around.far else { return Vec::new() };
    let greeting = match greeting {
        Ok(greeting) => greeting,
        Err(why) => {
            let error = why.to_tool_error();
            let finding = Finding::problem(error.message);
            return vec![if error.hint.is_empty() { finding } else { finding.with_fix(error.hint) }];
        }
    };
    let running = match greeting.running {
        true => Finding::ok(format!("{host}: a daemon runs")),
        false => Finding::note(format!("{host}: no daemon runs; the first question starts one")),
    };
    vec![
        judge_version(host, greeting),
        Finding::ok(format!("{host}: the project is {}", greeting.root)),
        running,
    ]
}

fn judge_version(host: &str, greeting: &FarGreeting) -> Finding {
    match &*greeting.version {
        VERSION => Finding::ok(format!("{host} is reached without a question and has hob {VERSION}")),
        version => Finding::warning(format!("{host} has hob {version}, and this is hob {VERSION}"))
            .with_fix(format!("install hob {VERSION} there, or its version here")),
    }
}
