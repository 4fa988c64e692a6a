//! Remembers the project of each agent's last answer, so that an answer about another project says so.
//!
//! An agent that has moved, or whose client has, must not take one work tree's code for another's. The record
//! of a client ends with its connection.

use std::sync::{Arc, Mutex, Weak};

use hob_base::{AbsPath, lock};
use hob_calls::Caller;

/// The last project of each connected client.
#[derive(Debug, Default)]
pub(super) struct LastProjects {
    clients: Mutex<Vec<(Weak<Caller>, AbsPath)>>,
}

impl LastProjects {
    /// Records that a client gets an answer about `root`, and returns the project of its previous answer if
    /// that was another one.
    pub(super) fn note_answer(&self, caller: &Arc<Caller>, root: &AbsPath) -> Option<AbsPath> {
        let mut clients = lock(&self.clients);
        clients.retain(|(client, _)| client.strong_count() > 0);
        match clients.iter_mut().find(|(client, _)| std::ptr::eq(client.as_ptr(), Arc::as_ptr(caller))) {
            Some((_, last)) if last != root => Some(std::mem::replace(last, root.clone())),
            Some(_) => None,
            None => {
                clients.push((Arc::downgrade(caller), root.clone()));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_project_is_told_to_the_client_that_made_it() {
        let path = |text: &str| AbsPath::new(std::env::temp_dir().join(text)).expect("absolute");
        let (one, other) = (Arc::new(Caller::default()), Arc::new(Caller::default()));
        let last = LastProjects::default();
        assert_eq!(last.note_answer(&one, &path("a")), None, "the first answer has none before it");
        assert_eq!(last.note_answer(&one, &path("a")), None);
        assert_eq!(last.note_answer(&other, &path("b")), None);
        assert_eq!(last.note_answer(&one, &path("b")), Some(path("a")));
        assert_eq!(last.note_answer(&one, &path("a")), Some(path("b")));
        drop(one);
        assert_eq!(last.note_answer(&other, &path("b")), None);
        assert_eq!(lock(&last.clients).len(), 1, "a client that has gone is forgotten");
    }
}
