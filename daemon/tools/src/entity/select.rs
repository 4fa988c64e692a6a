//! Lets the user, through the client, or a model choose where scores do not decide.
//!
//! The call waits for nobody. A question goes out with the answer that holds without it, and comes back as a reply to
//! the same call: the choice is then searched among the present candidates, which may differ from those that were
//! shown. A model that the user configured is the exception: it is asked immediately, within its own time.

use hob_proto::message::{Ask, AskKind, Offer};
use hob_proto::tools::entity::{EntityStep, Mode};
use serde_json::Value;

use super::path_step;
use super::request::SubjectRequest;
use crate::ToolCall;
use hob_host::Workspace;
use hob_words::entity::candidate::Candidate;
use hob_words::entity::judge::SubjectDecision;

/// Keys of the two questions.
const CHOICE: &str = "choice";
const MODEL: &str = "model";

/// Confidence of an answer that the user chose.
const BY_USER: f64 = 1.0;
/// Greatest confidence of an answer that a model chose: it knew only the candidates.
const BY_MODEL: f64 = 0.8;

/// Most candidates that a person or a model is shown.
const SHOWN: usize = 10;

/// Most tokens of a model's answer: a number, and the thoughts that some models write before it.
const ANSWER: u32 = 512;

/// The instructions that the model is given for its task.
const TASK: &str = "You match a phrase to one entity of a code base. Answer with the number of the entity that the phrase \
                    means and nothing else. Answer 0 if it means none of them or you cannot tell.";

/// The outcome of asking a model: one candidate, or none with the reason.
enum ModelChoice {
    /// The candidate at this index.
    One(usize),
    /// No candidate was chosen, for this reason.
    None(String),
}

/// Asks the user or a model to choose, if the request wants it. The chosen candidate moves to the front.
pub(super) fn select_candidate(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    request: &SubjectRequest,
    candidates: &mut Vec<Candidate>,
    decision: &mut SubjectDecision,
    steps: &mut Vec<EntityStep>,
) {
    if candidates.is_empty() {
        return;
    }
    let is_open = matches!(decision, SubjectDecision::Ambiguous { .. });
    let wants_model = match request.strategy.mode {
        Mode::LlmSelect => true,
        Mode::Hybrid => is_open && request.strategy.use_llm_fallback,
        _ => false,
    };
    let is_chosen = wants_model && by_model(call, workspace, request, candidates, decision, steps);
    let wants_user = match request.strategy.mode {
        Mode::Interactive => true,
        Mode::Quick => false,
        _ => is_open && request.strategy.interactive_below_threshold,
    };
    if wants_user && !is_chosen {
        by_user(call, request, candidates, decision, steps);
    }
}

/// Asks a model to choose, and returns true if it chose a candidate.
fn by_model(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    request: &SubjectRequest,
    candidates: &mut Vec<Candidate>,
    decision: &mut SubjectDecision,
    steps: &mut Vec<EntityStep>,
) -> bool {
    let prompt = model_prompt(request, candidates);
    let (source, answer) = if let Some(endpoint) = workspace.settings().model.clone() {
        let answer = endpoint.ask(TASK, &prompt, ANSWER, &call.cancel).map_err(|error| error.to_string());
        ("model endpoint", answer)
    } else if let Some(reply) = call.request.replies.get(MODEL) {
        let text = reply.as_str().map(str::to_owned);
        ("client's model", text.ok_or_else(|| "the client's model gave no answer".to_owned()))
    } else if call.request.offers.contains(&Offer::Sample) {
        let question = AskKind::Sample { system: TASK.to_owned(), max_tokens: ANSWER };
        call.notes.ask = Some(Ask { key: MODEL.to_owned(), message: prompt, question });
        steps.push(path_step(
            "select",
            "asked",
            "client's model",
            "the candidates stand until it answers".to_owned(),
        ));
        return false;
    } else {
        let note = "no model is configured ([model] in hob's settings), and the client offers none: the candidates stand";
        steps.push(path_step("select", "not asked", "model", note.to_owned()));
        return false;
    };
    match answer.map_or_else(ModelChoice::None, |text| chosen_by_number(&text, candidates.len().min(SHOWN))) {
        ModelChoice::One(at) => {
            let sure = first(candidates, at).min(BY_MODEL);
            steps.push(path_step("select", "chosen", source, format!("`{}`", candidates[0].id)));
            *decision = SubjectDecision::Resolved(sure);
            true
        }
        ModelChoice::None(why) => {
            steps.push(path_step("select", "not chosen", source, format!("{why}: the candidates stand")));
            false
        }
    }
}

fn model_prompt(request: &SubjectRequest, candidates: &[Candidate]) -> String {
    let line = |(at, candidate): (usize, &Candidate)| {
        let description: String = candidate.description.chars().take(160).collect();
        format!("{}. {} {} ({}): {description}\n", at + 1, candidate.kind, candidate.label, candidate.path)
    };
    let list: String = candidates.iter().take(SHOWN).enumerate().map(line).collect();
    let from = request
        .context
        .provenance
        .as_ref()
        .map(|from| format!("It was met in {from}.\n"))
        .unwrap_or_default();
    format!("The phrase: {}\n{from}Entities:\n{list}The number:", request.subject.text)
}

/// Returns the first number in a model's answer, behind the thoughts that it wrote.
fn chosen_by_number(text: &str, most: usize) -> ModelChoice {
    let text = text.rsplit_once("</think>").map_or(text, |(_, said)| said);
    let digits: String =
        text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).take(4).collect();
    match digits.parse::<usize>() {
        Ok(0) => ModelChoice::None("it says that none is meant".to_owned()),
        Ok(number) if number <= most => ModelChoice::One(number - 1),
        _ => ModelChoice::None("it named none of them".to_owned()),
    }
}

/// Moves a candidate to the front, and returns its confidence by its score.
fn first(candidates: &mut Vec<Candidate>, at: usize) -> f64 {
    let chosen = candidates.remove(at);
    let sure = hob_words::entity::calibrate::confidence_of(chosen.score());
    candidates.insert(0, chosen);
    sure
}

fn by_user(
    call: &mut ToolCall<'_>,
    request: &SubjectRequest,
    candidates: &mut Vec<Candidate>,
    decision: &mut SubjectDecision,
    steps: &mut Vec<EntityStep>,
) {
    match call.request.replies.get(CHOICE) {
        Some(Value::String(id)) => match candidates.iter().position(|candidate| candidate.id == *id) {
            Some(at) => {
                first(candidates, at);
                steps.push(path_step("select", "chosen", "user", format!("`{id}`")));
                *decision = SubjectDecision::Resolved(BY_USER);
                return;
            }
            None => {
                steps.push(path_step(
                    "select",
                    "not chosen",
                    "user",
                    format!("`{id}` is no longer a candidate"),
                ));
            }
        },
        Some(_) => {
            steps.push(path_step(
                "select",
                "not chosen",
                "user",
                "nobody chose: the candidates stand".to_owned(),
            ));
        }
        None if call.request.offers.contains(&Offer::Choose) => {
            let option =
                |one: &Candidate| (one.id.clone(), format!("{} {} ({})", one.kind, one.label, one.path));
            let options = candidates.iter().take(SHOWN).map(option).collect();
            let message = format!("What does \"{}\" mean?", request.subject.text);
            call.notes.ask =
                Some(Ask { key: CHOICE.to_owned(), message, question: AskKind::Choose { options } });
            steps.push(path_step(
                "select",
                "asked",
                "user",
                "the candidates stand until one is chosen".to_owned(),
            ));
        }
        None => {
            let note = "the client cannot ask its user: pass hints.preferred_id with one of the candidates";
            steps.push(path_step("select", "not asked", "user", note.to_owned()));
        }
    }
    if let SubjectDecision::Resolved(confidence) = *decision {
        *decision = SubjectDecision::Ambiguous {
            confidence,
            reason: "The mode leaves the choice to the user.".to_owned(),
            dimension: "confidence",
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_models_answer_is_a_number_or_nothing() {
        let chosen = |text: &str| match chosen_by_number(text, 3) {
            ModelChoice::One(at) => Some(at),
            ModelChoice::None(_) => None,
        };
        assert_eq!(chosen("2"), Some(1));
        assert_eq!(chosen("The answer is 3."), Some(2));
        assert_eq!(chosen("<think>1 or 2? Rather 1.</think>\n2"), Some(1));
        for text in ["0", "4", "", "none", "99999999999999999999", "-"] {
            assert_eq!(chosen(text), None, "{text}");
        }
    }
}
