//! Remembers which bodies each client was sent recently, so that an unchanged one is named in a line and not sent
//! again.
//!
//! A client forgets: it compacts its conversation, and hob cannot see that. So a body counts as known only within a
//! window: for [`WINDOW`], and while no more than [`REACH`] characters of hob's answers came after it. That is about
//! ten thousand tokens, a small part of any model's context; compaction keeps the latest part of a conversation. A
//! client that has lost a body nevertheless asks with `repeat: true`, as the line says. The command line begins anew
//! with each call and always gets everything.
//!
//! A client is a connection. Agents that share one (a client that hands its MCP server on to its sub-agents) share the
//! memory: hob cannot tell them apart. So one of them may get the name of a body that only another has read, and has to
//! ask with `repeat`.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use hob_render::{AnswerDocument, AnswerItem};

use hob_calls::Caller;

/// Time for which a body counts as known to a client.
const WINDOW: Duration = Duration::from_secs(10 * 60);

/// Characters of later answers after which a body does not count as known any more.
const REACH: u64 = 40_000;

/// Least number of characters of a body that is named: for a shorter one the line would save little.
const WORTH_NAMING: usize = 400;

/// Most bodies that are remembered for one client.
const MOST_BODIES: usize = 512;

/// The bodies sent to each client, for as long as it is connected.
#[derive(Debug, Default)]
pub struct SentBodies {
    clients: Mutex<Vec<SentToClient>>,
}

/// The bodies sent to one client.
#[derive(Debug)]
struct SentToClient {
    caller: Weak<Caller>,
    /// Number of characters of all answers to it.
    sent: u64,
    bodies: HashMap<u64, SentBody>,
}

/// A body sent to a client.
#[derive(Clone, Copy, Debug)]
struct SentBody {
    contents: u64,
    at: Instant,
    /// The client's `sent` before this body.
    position: u64,
}

impl SentBodies {
    /// Replaces the bodies of `document` that `caller` knows by a line that names them.
    pub fn name_known(&self, caller: &Arc<Caller>, document: &mut AnswerDocument) {
        self.with_client(caller, |client| {
            for item in document.sections.iter_mut().flat_map(|section| &mut section.items) {
                if let Some(body) = client.known_body(item) {
                    let minutes = body.at.elapsed().as_secs() / 60;
                    let ago = if minutes == 0 { "just now".to_owned() } else { format!("{minutes} min ago") };
                    item.lines = vec![format!("unchanged since you read it {ago} (repeat: true sends it)")];
                    item.source = None;
                }
            }
        });
    }

    /// Records that `caller` is sent an answer of `chars` characters with the first `shown` items of `document`.
    pub fn record_sent(&self, caller: &Arc<Caller>, document: &AnswerDocument, shown: usize, chars: usize) {
        let items = document.sections.iter().flat_map(|section| &section.items).take(shown);
        self.with_client(caller, |client| {
            client.sent += chars as u64;
            for item in items.filter(|item| is_body(item)) {
                client.note_body(item);
            }
        });
    }

    fn with_client(&self, caller: &Arc<Caller>, work: impl FnOnce(&mut SentToClient)) {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|client| client.caller.strong_count() > 0);
        let at = clients.iter().position(|client| std::ptr::eq(client.caller.as_ptr(), Arc::as_ptr(caller)));
        let at = at.unwrap_or_else(|| {
            clients.push(SentToClient { caller: Arc::downgrade(caller), sent: 0, bodies: HashMap::new() });
            clients.len() - 1
        });
        work(&mut clients[at]);
    }
}

impl SentToClient {
    /// Returns the body as it was sent, if it is still the same and within the window.
    fn known_body(&self, item: &AnswerItem) -> Option<SentBody> {
        let body = self.bodies.get(&name_of(item)).filter(|_| is_body(item))?;
        let is_near = body.at.elapsed() < WINDOW && self.sent - body.position < REACH;
        (is_near && body.contents == contents_of(item)).then_some(*body)
    }

    fn note_body(&mut self, item: &AnswerItem) {
        if self.bodies.len() >= MOST_BODIES {
            self.bodies.retain(|_, body| body.at.elapsed() < WINDOW && self.sent - body.position < REACH);
        }
        if self.bodies.len() < MOST_BODIES {
            let body = SentBody { contents: contents_of(item), at: Instant::now(), position: self.sent };
            self.bodies.insert(name_of(item), body);
        }
    }
}

fn is_body(item: &AnswerItem) -> bool {
    item.source.is_some() && item.lines.iter().map(String::len).sum::<usize>() >= WORTH_NAMING
}

/// Hashes the headers of an item, which name file, lines and symbol.
fn name_of(item: &AnswerItem) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&item.group, item.source.as_ref().map(|source| &source.path)).hash(&mut hasher);
    hasher.finish()
}

fn contents_of(item: &AnswerItem) -> u64 {
    let mut hasher = DefaultHasher::new();
    item.lines.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use hob_render::{BodySource, Section};

    use super::*;

    fn document_of(text: &str) -> AnswerDocument {
        let lines = (0..60).map(|n| format!("{n} {text}")).collect();
        let source = Some(BodySource { path: "a.py".into(), from: 0, first: 1 });
        AnswerDocument::of_section(Section::new(
            "symbols",
            vec![AnswerItem { group: vec!["a.py:1-60 f".into()], lines, source }],
        ))
    }

    fn lines_sent(sent: &SentBodies, caller: &Arc<Caller>, text: &str, chars: usize) -> usize {
        let mut document = document_of(text);
        sent.name_known(caller, &mut document);
        sent.record_sent(caller, &document, 1, chars);
        document.sections[0].items[0].lines.len()
    }

    #[test]
    fn a_body_is_sent_once_to_each_client_until_it_changes_or_is_far_back() {
        let sent = SentBodies::default();
        let (one, other) = (Arc::new(Caller::default()), Arc::new(Caller::default()));
        assert_eq!(lines_sent(&sent, &one, "x = 1", 900), 60);
        assert_eq!(lines_sent(&sent, &one, "x = 1", 80), 1, "known");
        assert_eq!(lines_sent(&sent, &other, "x = 1", 900), 60, "another client has not read it");
        assert_eq!(lines_sent(&sent, &one, "x = 2", 900), 60, "it has changed");
        assert_eq!(lines_sent(&sent, &one, "x = 2", 50_000), 1);
        assert_eq!(lines_sent(&sent, &one, "x = 2", 900), 60, "much was sent since");
    }
}
