//! Which records are needed most: where there is too little room, the others give way.

use crate::base::text;
use crate::memory::Entry;
use core::cmp::Reverse;
use std::collections::BTreeMap;

/// The tool that returned a record.
fn tool(record: &Entry) -> &str {
    text::between(&record.text, 0, text::find(&record.text, " ").unwrap_or(record.text.len()))
}

/// Returns the places of records, the most needed first: the newest of each tool, then the second newest of each. So many
/// searches do not push out what they were made for.
pub fn by_need(all: &[&Entry]) -> Vec<usize> {
    let mut newest: Vec<usize> = (0..all.len()).collect();
    newest.sort_by_key(|&at| Reverse(all[at].at));
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ranked = Vec::new();
    for at in newest {
        let rank = seen.entry(tool(all[at])).or_default();
        *rank += 1;
        ranked.push((*rank, at));
    }
    ranked.sort_by_key(|&(rank, _)| rank);
    ranked.into_iter().map(|(_, at)| at).collect()
}
