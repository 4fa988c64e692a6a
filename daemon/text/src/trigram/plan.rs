//! A trigram query against one segment: cheapest lists first, no list read that would not pay.
//!
//! The query's trigrams are looked up once, so a plan knows how many documents each branch can leave at most. A
//! conjunction starts with its smallest branch and stops narrowing when reading the next list costs more than looking
//! at the files that are left.

use super::postings::PostingList;
use super::query::GramQuery;
use super::segment::Segment;

/// Postings that can be read in the time it takes to read and search one more file.
const POSTINGS_PER_FILE: usize = 4096;

/// See the file's header.
pub(super) struct Plan<'a> {
    node: Node<'a>,
    /// At most so many documents satisfy it.
    bound: usize,
    doc_count: usize,
}

enum Node<'a> {
    All,
    List(PostingList<'a>),
    /// Smallest bound first.
    And(Vec<Plan<'a>>),
    Or(Vec<Plan<'a>>),
}

impl<'a> Plan<'a> {
    pub(super) fn new(query: &GramQuery, segment: &'a Segment) -> Self {
        let doc_count = segment.docs.len();
        let none = || (Node::Or(Vec::new()), 0);
        let (node, bound) = match query {
            GramQuery::All => (Node::All, doc_count),
            GramQuery::None => none(),
            GramQuery::Gram(gram) => {
                segment.list(*gram).map_or_else(none, |list| (Node::List(list), list.count as usize))
            }
            GramQuery::And(all) => {
                let mut plans: Vec<Self> = all.iter().map(|query| Self::new(query, segment)).collect();
                plans.sort_by_key(|plan| plan.bound);
                let bound = plans.first().map_or(doc_count, |plan| plan.bound);
                (Node::And(plans), bound)
            }
            GramQuery::Or(any) => {
                let plans = any.iter().map(|query| Self::new(query, segment));
                let plans: Vec<Self> = plans.filter(|plan| plan.bound > 0).collect();
                let bound = plans.iter().map(|plan| plan.bound).sum::<usize>().min(doc_count);
                (Node::Or(plans), bound)
            }
        };
        Self { node, bound, doc_count }
    }

    /// The documents that satisfy the query, ascending; `None` means all. Some may be left in that do not satisfy it.
    pub(super) fn documents(&self) -> Option<Vec<u32>> {
        match &self.node {
            Node::All => None,
            Node::List(list) => Some(list.to_vec()),
            Node::And(all) => all.iter().fold(None, |within, plan| match within {
                None => plan.documents(),
                Some(docs) => Some(plan.narrow(docs)),
            }),
            Node::Or(any) => self.union(any.iter().map(Self::documents)),
        }
    }

    /// Those of `docs` that satisfy the query, and perhaps some more of them.
    fn narrow(&self, docs: Vec<u32>) -> Vec<u32> {
        if docs.is_empty() {
            return docs;
        }
        match &self.node {
            Node::All => docs,
            Node::List(list) if list.cost(docs.len()) > docs.len() * POSTINGS_PER_FILE => docs,
            Node::List(list) => list.intersect(&docs),
            Node::And(all) => all.iter().fold(docs, |docs, plan| plan.narrow(docs)),
            Node::Or(any) => {
                let branches = any.iter().map(|plan| Some(plan.narrow(docs.clone())));
                self.union(branches).unwrap_or_default()
            }
        }
    }

    fn union(&self, branches: impl Iterator<Item = Option<Vec<u32>>>) -> Option<Vec<u32>> {
        let mut marked = vec![false; self.doc_count];
        for docs in branches {
            for doc in docs? {
                if let Some(mark) = marked.get_mut(doc as usize) {
                    *mark = true;
                }
            }
        }
        let marked = marked.into_iter().enumerate();
        Some(marked.filter(|(_, marked)| *marked).map(|(doc, _)| doc as u32).collect())
    }
}
