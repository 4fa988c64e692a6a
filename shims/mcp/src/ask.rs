//! Puts questions of the daemon to the client's user or model, and returns the replies.
//!
//! An answer of the daemon stands by itself; a question that comes with it can only improve it. So any failure here (a
//! client that refuses, replies with invalid data, or never replies) costs the question, not the answer. Older
//! revisions let a server ask while it answers; there the call waits for the person. Since 2026-07-28 the question is
//! the result, and the client repeats its call with the reply. The server stores nothing in between: the client brings
//! the state back in `requestState`, and the state has only facts that the client knows anyway.

#![expect(deprecated, reason = "sampling is on its way out of MCP, but has no successor")]

use std::collections::BTreeMap;
use std::time::Duration;

use hob_proto::message::{Ask, AskKind, Offer};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CancelledNotificationParam, ClientCapabilities, CreateMessageRequest,
    CreateMessageRequestParams, ElicitRequest, ElicitRequestParams, ElicitationSchema, EnumSchema,
    InputRequest, InputRequiredResult, LegacyEnumSchema, PrimitiveSchemaDefinition, ProtocolVersion,
    SamplingMessage, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use serde_json::{Map, Value, json};

use crate::relay::Reporter;

/// Most questions for one call; after that the answer stands.
const ROUNDS: usize = 3;

/// Longest time that a person may take for one question.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// Time between two signs that the call still waits: many clients give up after a minute of silence.
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

/// The name of a form's only field.
const FIELD: &str = "choice";

/// Size limit of a reply, in bytes; the daemon asks for a few words.
const LARGEST_REPLY: usize = 64 * 1024;

/// The questions of one call.
pub(crate) struct Questions<'c> {
    context: &'c RequestContext<RoleServer>,
    /// The kinds of questions that this client can answer.
    can: Vec<Offer>,
    /// True if the client repeats the call itself.
    is_repeated: bool,
    /// Number of earlier questions.
    round: usize,
    replies: Map<String, Value>,
}

/// The continuation of a call after an answer that came with a question.
pub(crate) enum CallContinuation {
    /// The call ends with its present answer.
    Stands,
    /// The client has to repeat its call.
    Returned(InputRequiredResult),
    /// The call is repeated with the present replies.
    Again,
    /// The client has cancelled the call.
    Cancelled,
}

impl<'c> Questions<'c> {
    /// Creates the questions for a call in this context, with the replies that it brings back from an earlier round.
    pub(crate) fn for_call(context: &'c RequestContext<RoleServer>, request: &CallToolRequestParams) -> Self {
        let version = context.protocol_version();
        let is_repeated = version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let can = context.client_capabilities().map(|offered| client_offers(&offered)).unwrap_or_default();
        let (round, replies) = match is_repeated {
            true => brought_back(request),
            false => (0, Map::new()),
        };
        Self { context, can, is_repeated, round, replies }
    }

    /// Returns the questions that the daemon may ask in this round.
    pub(crate) fn offers(&self) -> &[Offer] {
        if self.round < ROUNDS { &self.can } else { &[] }
    }

    /// Returns the replies of earlier rounds, by their keys.
    pub(crate) fn replies(&self) -> &Map<String, Value> {
        &self.replies
    }

    /// Puts the question of an answer to the client.
    pub(crate) async fn put_question(
        &mut self,
        ask: Ask,
        reporter: Option<&mut Reporter>,
    ) -> CallContinuation {
        let wanted = match ask.question {
            AskKind::Choose { .. } => Offer::Choose,
            AskKind::Sample { .. } => Offer::Sample,
        };
        if !self.offers().contains(&wanted) || self.replies.contains_key(&ask.key) {
            return CallContinuation::Stands;
        }
        self.round += 1;
        if self.is_repeated {
            let state = json!({"round": self.round, "asked": ask.key, "replies": self.replies});
            let requests = BTreeMap::from([(ask.key.clone(), as_request(ask))]);
            return CallContinuation::Returned(InputRequiredResult::new(
                Some(requests),
                Some(state.to_string()),
            ));
        }
        let key = ask.key.clone();
        let Some(reply) = self.wait(ask, reporter).await else { return CallContinuation::Cancelled };
        self.replies.insert(key, reply);
        CallContinuation::Again
    }

    /// Asks and waits; `null` for anything but a reply, `None` if the call is cancelled meanwhile.
    async fn wait(&self, ask: Ask, mut reporter: Option<&mut Reporter>) -> Option<Value> {
        let waits_for = match ask.question {
            AskKind::Choose { .. } => "waiting for a choice",
            AskKind::Sample { .. } => "waiting for the client's model",
        };
        let request = match as_request(ask) {
            InputRequest::Elicitation(request) => ServerRequest::from(request),
            InputRequest::CreateMessage(request) => ServerRequest::from(request),
            _ => return Some(Value::Null),
        };
        let peer = &self.context.peer;
        let sent = peer.send_cancellable_request(request, PeerRequestOptions::with_timeout(PATIENCE)).await;
        let Ok(asking) = sent else { return Some(Value::Null) };
        let id = asking.id.clone();
        let mut answer = std::pin::pin!(asking.await_response());
        let mut signs = tokio::time::interval(SIGN_OF_LIFE);
        loop {
            tokio::select! {
                biased;
                () = self.context.ct.cancelled() => {
                    // The client's form is withdrawn, because nobody waits for it any more.
                    let withdrawn = CancelledNotificationParam::new(Some(id), None);
                    let _ = peer.notify_cancelled(withdrawn).await;
                    return None;
                }
                answer = &mut answer => {
                    let answer = answer.ok().and_then(|answer| serde_json::to_value(answer).ok());
                    return Some(answer.as_ref().map_or(Value::Null, read_reply));
                }
                _ = signs.tick() => if let Some(reporter) = &mut reporter {
                    reporter.sign_of_life(waits_for).await;
                },
            }
        }
    }
}

/// Returns the questions that a client with these capabilities can answer. Before there were forms and links,
/// elicitation meant forms.
fn client_offers(capabilities: &ClientCapabilities) -> Vec<Offer> {
    let forms = capabilities.elicitation.as_ref().filter(|can| can.form.is_some() || can.url.is_none());
    let choose = forms.map(|_| Offer::Choose);
    let sample = capabilities.sampling.as_ref().map(|_| Offer::Sample);
    choose.into_iter().chain(sample).collect()
}

/// Returns the round of a repeated call, and all replies so far. Malformed and unrequested replies do not count.
fn brought_back(request: &CallToolRequestParams) -> (usize, Map<String, Value>) {
    let state = request.request_state.as_deref().and_then(|state| serde_json::from_str::<Value>(state).ok());
    let Some(state) = state else { return (0, Map::new()) };
    let earlier = state["replies"].as_object().into_iter().flatten().take(ROUNDS);
    let mut replies: Map<_, _> =
        earlier.map(|(key, reply)| (key.clone(), bounded_text(reply.as_str()))).collect();
    if let Some(asked) = state["asked"].as_str() {
        let response = request.input_responses.as_ref().and_then(|responses| responses.get(asked));
        replies.insert(asked.to_owned(), response.map_or(Value::Null, read_reply));
    }
    // A state without a number is not hob's: no further questions then.
    let round = state["round"].as_u64().and_then(|round| usize::try_from(round).ok());
    (round.unwrap_or(ROUNDS), replies)
}

/// Converts the question to a request of MCP.
fn as_request(ask: Ask) -> InputRequest {
    match ask.question {
        AskKind::Choose { options } => {
            InputRequest::Elicitation(ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
                meta: None,
                message: ask.message,
                requested_schema: choice_form(options),
            }))
        }
        AskKind::Sample { system, max_tokens } => {
            let messages = vec![SamplingMessage::user_text(ask.message)];
            let params = CreateMessageRequestParams::new(messages, max_tokens).with_system_prompt(system);
            InputRequest::CreateMessage(CreateMessageRequest::new(params.with_temperature(0.0)))
        }
    }
}

/// Returns a form with one required field. `enum` with `enumNames` has existed from the beginning, and a client that
/// does not know the titles still shows the values; for the later `oneOf` such a client would show a text field.
fn choice_form(options: Vec<(String, String)>) -> ElicitationSchema {
    let (values, titles) = options.into_iter().unzip();
    let mut choice = LegacyEnumSchema::new(values);
    choice.title = Some("Choice".into());
    choice.description = Some("Which of these is meant".into());
    choice.enum_names = Some(titles);
    let field = PrimitiveSchemaDefinition::Enum(EnumSchema::Legacy(choice));
    let mut form = ElicitationSchema::new(BTreeMap::from([(FIELD.to_owned(), field)]));
    form.required = Some(vec![FIELD.to_owned()]);
    form
}

/// Reads a client's response: the choice, or the text of its model; `null` if it has neither.
fn read_reply(response: &Value) -> Value {
    match response.get("action").and_then(Value::as_str) {
        Some("accept") => bounded_text(response["content"][FIELD].as_str()),
        Some(_) => Value::Null,
        None => match &response["content"] {
            Value::Array(blocks) => {
                let text: String = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
                bounded_text(Some(&text).filter(|text| !text.is_empty()).map(String::as_str))
            }
            block => bounded_text(block["text"].as_str()),
        },
    }
}

/// Returns a text that is short enough for the daemon, else `null`.
fn bounded_text(text: Option<&str>) -> Value {
    text.filter(|text| text.len() <= LARGEST_REPLY).map_or(Value::Null, Value::from)
}
