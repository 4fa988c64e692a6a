//! Stores the findings of an investigation for a day: the places, and the hashes of their source.
//!
//! A bundle is in the store, so that it outlives the daemon. It has no source, which is read when a client
//! asks for it. Its name is a hash of its contents, so that the same question about the same files gives the
//! same bundle.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hob_base::{AbsPath, ContentHash};
use hob_store::{Store, StoreError, StoreOperation, StoreTree};
use serde::{Deserialize, Serialize};

/// Time for which the store keeps a bundle.
const LIFE: Duration = Duration::from_secs(24 * 60 * 60);
/// Most bundles in the store; the oldest are removed first.
const MOST: usize = 1_000;

/// The prefix of keys, and of every bundle's name.
const PREFIX: &[u8] = b"bundle/";
/// The digits of names, without letters that are easily confused (Crockford's base 32).
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const DIGITS_SHOWN: usize = 10;

/// The findings of an investigation, as the store has them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Bundle {
    /// The root of the workspace.
    pub root: String,
    /// The question, as it was asked.
    pub query: String,
    /// The scope of the question, in words.
    pub scope: String,
    /// Time of the investigation, in seconds since 1970.
    made: u64,
    /// The findings, most relevant first.
    pub entries: Vec<BundleEntry>,
}

/// A place among the findings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BundleEntry {
    /// Node ID of the finding.
    pub uid: String,
    /// Relevance to the question, 0 to 1.
    pub relevance: f64,
    /// True if the words of the question found it; false for a neighbour of such a place.
    pub is_seed: bool,
    /// The hash of its source at the time of the investigation; `None` if it could not be read.
    pub hash: Option<[u8; 32]>,
    /// True if a client has its whole source.
    pub given: bool,
}

impl Bundle {
    /// Creates a bundle with the present time.
    pub fn new(root: &AbsPath, query: String, scope: String, entries: Vec<BundleEntry>) -> Self {
        Self { root: root.to_string(), query, scope, made: unix_seconds(), entries }
    }

    /// Returns the bundle's name: the same for the same findings.
    pub fn id(&self) -> String {
        let mut text = format!("{}\0{}\0{}", self.root, self.query, self.scope).into_bytes();
        for entry in &self.entries {
            text.extend_from_slice(entry.uid.as_bytes());
            text.extend_from_slice(&entry.relevance.to_le_bytes());
            text.extend_from_slice(entry.hash.as_ref().map_or(&[][..], |hash| hash));
        }
        let hash = ContentHash::of(&text);
        let digits = hash.as_bytes().iter().take(DIGITS_SHOWN);
        std::iter::once('b').chain(digits.map(|byte| char::from(DIGITS[usize::from(byte % 32)]))).collect()
    }

    /// Returns the position of the entry with an asset ID, or with a node ID.
    pub fn position(&self, target: &str) -> Option<usize> {
        let by_uid = || self.entries.iter().position(|entry| entry.uid == target);
        let number = target.strip_prefix('a').and_then(|digits| digits.parse::<usize>().ok());
        match number.and_then(|number| number.checked_sub(1)) {
            Some(at) if at < self.entries.len() => Some(at),
            _ => by_uid(),
        }
    }

    /// Stores the bundle for a day from now, in place of one with the same findings; removes expired bundles.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn keep_for_a_day(&self, store: &dyn Store) -> Result<(), StoreError> {
        let mut ops = expired_bundle_ops(store)?;
        ops.push(StoreOperation::Put { key: key(&self.id()), value: encode(self) });
        store.batch(StoreTree::Meta, ops)
    }

    /// Stores anew which entries a client has.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn note_given(&self, store: &dyn Store) -> Result<(), StoreError> {
        store.batch(StoreTree::Meta, vec![StoreOperation::Put { key: key(&self.id()), value: encode(self) }])
    }
}

/// Returns the name of the entry at a position.
pub fn asset_id(at: usize) -> String {
    format!("a{}", at + 1)
}

/// Loads a bundle by its name, unless its day is over.
///
/// # Errors
/// When the store cannot be read.
pub fn load(store: &dyn Store, id: &str) -> Result<Option<Bundle>, StoreError> {
    let bytes = store.get(StoreTree::Meta, &key(id))?;
    let bundle = bytes.and_then(|bytes| decode(&bytes));
    Ok(bundle.filter(|bundle| !is_over(bundle.made)))
}

/// Returns the keys of the bundles of a workspace.
///
/// # Errors
/// When the store cannot be read.
pub fn of_root(store: &dyn Store, root: &AbsPath) -> Result<Vec<Vec<u8>>, StoreError> {
    let (mut found, root) = (Vec::new(), root.to_string());
    store.each(StoreTree::Meta, PREFIX, &mut |key, value| {
        if decode(value).is_some_and(|bundle| bundle.root == root) {
            found.push(key.to_vec());
        }
        true
    })?;
    Ok(found)
}

/// Removes bundles by their keys.
///
/// # Errors
/// When the store cannot be written.
pub fn forget_bundles(store: &dyn Store, keys: &[Vec<u8>]) -> Result<(), StoreError> {
    store.batch(
        StoreTree::Meta,
        keys.iter().map(|key| StoreOperation::Remove { key: key.clone() }).collect(),
    )?;
    store.flush()
}

/// Returns the steps that remove expired bundles, unreadable ones, and the oldest of too many.
fn expired_bundle_ops(store: &dyn Store) -> Result<Vec<StoreOperation>, StoreError> {
    let (mut going, mut staying) = (Vec::new(), Vec::new());
    store.each(StoreTree::Meta, PREFIX, &mut |key, value| {
        match made_at(value).filter(|made| !is_over(*made)) {
            Some(made) => staying.push((made, key.to_vec())),
            None => going.push(key.to_vec()),
        }
        true
    })?;
    staying.sort_unstable();
    let too_many = (staying.len() + 1).saturating_sub(MOST);
    going.extend(staying.drain(..too_many).map(|(_, key)| key));
    Ok(going.into_iter().map(|key| StoreOperation::Remove { key }).collect())
}

fn key(id: &str) -> Vec<u8> {
    [PREFIX, id.as_bytes()].concat()
}

fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn is_over(made: u64) -> bool {
    unix_seconds().saturating_sub(made) >= LIFE.as_secs()
}

/// Encodes a bundle with its time first, so that a search for old ones among a thousand decodes none.
fn encode(bundle: &Bundle) -> Vec<u8> {
    let mut bytes = bundle.made.to_le_bytes().to_vec();
    bytes.extend(serde_json::to_vec(bundle).unwrap_or_default());
    bytes
}

/// Returns when a bundle was made; `None` for a future time, because then the bytes are of an older form.
fn made_at(bytes: &[u8]) -> Option<u64> {
    let made = u64::from_le_bytes(*bytes.first_chunk()?);
    (made <= unix_seconds()).then_some(made)
}

fn decode(bytes: &[u8]) -> Option<Bundle> {
    serde_json::from_slice(bytes.get(size_of::<u64>()..)?).ok()
}

#[cfg(test)]
mod tests {
    use hob_store::MemoryStore;

    use super::*;

    fn sample_bundle(query: &str, made: u64) -> Bundle {
        let kept = |uid: &str| BundleEntry {
            uid: uid.into(),
            relevance: 1.0,
            is_seed: true,
            hash: None,
            given: false,
        };
        let entries = vec![kept("py:a.py#f"), kept("py:a12#g")];
        Bundle { root: "/p".into(), query: query.into(), scope: "all".into(), made, entries }
    }

    #[test]
    fn a_bundle_is_kept_for_a_day() {
        let store = MemoryStore::default();
        let loaded = |id: &str| load(&store, id).expect("it can be read");
        let mut one = sample_bundle("pairing", unix_seconds());
        one.keep_for_a_day(&store).expect("kept");
        one.entries[1].given = true;
        one.note_given(&store).expect("noted");
        assert_eq!(loaded(&one.id()), Some(one.clone()));
        assert_eq!(sample_bundle("pairing", 7).id(), one.id(), "the same findings have the same name");
        assert_ne!(sample_bundle("pairs", 7).id(), one.id());

        let old = sample_bundle("long ago", unix_seconds() - LIFE.as_secs());
        old.keep_for_a_day(&store).expect("kept");
        assert_eq!(loaded(&old.id()), None);
        sample_bundle("later", unix_seconds()).keep_for_a_day(&store).expect("kept");
        assert_eq!(store.get(StoreTree::Meta, &key(&old.id())).expect("it can be read"), None, "it is gone");
    }

    #[test]
    fn entries_have_two_names() {
        let bundle = sample_bundle("pairing", 0);
        assert_eq!(bundle.position("a1"), Some(0));
        assert_eq!(bundle.position("py:a12#g"), Some(1));
        assert_eq!((bundle.position("a0"), bundle.position("a3"), bundle.position("x")), (None, None, None));
        assert_eq!(asset_id(1), "a2");
    }
}
