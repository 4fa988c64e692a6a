//! Runs a trigram query on one segment: cheapest lists first, without the lists that would not pay.
//!
//! The plan looks the query's trigrams up once, so it knows how many blocks each branch can leave at most. A
//! conjunction starts with its smallest branch and stops narrowing when the next list costs more to read than
//! the remaining blocks cost to search.

use super::postings::PostingList;
use super::query::GramQuery;
use super::segment::Segment;

/// Number of postings that can be read in the time of searching one more block, or of a part of the time of
/// reading its file.
const POSTINGS_PER_BLOCK: usize = 2048;

/// A trigram query with the lists of one segment.
pub(super) struct GramQueryPlan<'a> {
    node: Node<'a>,
    /// Most blocks that can satisfy it.
    bound: usize,
    block_count: usize,
}

enum Node<'a> {
    All,
    List(PostingList<'a>),
    /// The intersection of all these plans; smallest bound first.
    And(Vec<GramQueryPlan<'a>>),
    Or(Vec<GramQueryPlan<'a>>),
}

impl<'a> GramQueryPlan<'a> {
    pub(super) fn new(query: &GramQuery, segment: &'a Segment) -> Self {
        let block_count = segment.block_count();
        let none = || (Node::Or(Vec::new()), 0);
        let (node, bound) = match query {
            GramQuery::All => (Node::All, block_count),
            GramQuery::None => none(),
            GramQuery::Gram(gram) => {
                segment.list(*gram).map_or_else(none, |list| (Node::List(list), list.count as usize))
            }
            GramQuery::And(all) => {
                let mut plans: Vec<Self> = all.iter().map(|query| Self::new(query, segment)).collect();
                plans.sort_by_key(|plan| plan.bound);
                let bound = plans.first().map_or(block_count, |plan| plan.bound);
                (Node::And(plans), bound)
            }
            GramQuery::Or(any) => {
                let plans = any.iter().map(|query| Self::new(query, segment));
                let plans: Vec<Self> = plans.filter(|plan| plan.bound > 0).collect();
                let bound = plans.iter().map(|plan| plan.bound).sum::<usize>().min(block_count);
                (Node::Or(plans), bound)
            }
        };
        Self { node, bound, block_count }
    }

    /// Returns the largest number of blocks that can satisfy the query.
    pub(super) fn bound(&self) -> usize {
        self.bound
    }

    /// Returns the blocks that satisfy the query, ascending; `None` means all. Some of them may not satisfy
    /// it.
    pub(super) fn satisfying_blocks(&self) -> Option<Vec<u32>> {
        match &self.node {
            Node::All => None,
            Node::List(list) => Some(list.to_vec()),
            Node::And(all) => all.iter().fold(None, |within, plan| match within {
                None => plan.satisfying_blocks(),
                Some(blocks) => Some(plan.narrow_blocks(blocks)),
            }),
            Node::Or(any) => self.union_blocks(any.iter().map(Self::satisfying_blocks)),
        }
    }

    /// Returns those of `blocks` that satisfy the query, and perhaps some more of them.
    fn narrow_blocks(&self, blocks: Vec<u32>) -> Vec<u32> {
        if blocks.is_empty() {
            return blocks;
        }
        match &self.node {
            Node::All => blocks,
            Node::List(list) if list.intersection_cost(blocks.len()) > blocks.len() * POSTINGS_PER_BLOCK => {
                blocks
            }
            Node::List(list) => list.intersect_blocks(&blocks),
            Node::And(all) => all.iter().fold(blocks, |blocks, plan| plan.narrow_blocks(blocks)),
            Node::Or(any) => {
                let branches = any.iter().map(|plan| Some(plan.narrow_blocks(blocks.clone())));
                self.union_blocks(branches).unwrap_or_default()
            }
        }
    }

    fn union_blocks(&self, branches: impl Iterator<Item = Option<Vec<u32>>>) -> Option<Vec<u32>> {
        let mut marked = vec![false; self.block_count];
        for blocks in branches {
            for block in blocks? {
                if let Some(mark) = marked.get_mut(block as usize) {
                    *mark = true;
                }
            }
        }
        let marked = marked.into_iter().enumerate();
        Some(marked.filter(|(_, marked)| *marked).map(|(block, _)| block as u32).collect())
    }
}
