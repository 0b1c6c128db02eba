//! A map from ids (hashes already) to numbers, for as many ids as were announced. A tree of the standard library is ten
//! times as much wasm.

/// Numbers by id.
#[derive(Clone, Debug)]
pub struct IdMap {
    /// Each entry lies at the place its id names, or at the next free one; half of the places stay free.
    entries: Vec<Option<(u64, Option<u64>)>>,
}

impl IdMap {
    /// A map for at most `ids` different ids.
    pub fn new(ids: usize) -> Self {
        Self { entries: vec![None; (2 * ids + 1).next_power_of_two()] }
    }

    /// Sets the number of an id.
    pub fn insert(&mut self, id: u64, number: u64) {
        *self.entry(id) = Some((id, Some(number)));
    }

    /// The number of an id.
    pub fn get(&mut self, id: u64) -> Option<u64> {
        self.entry(id).and_then(|entry| entry.1)
    }

    /// Takes the number of an id out.
    pub fn remove(&mut self, id: u64) -> Option<u64> {
        self.entry(id).as_mut()?.1.take()
    }

    fn entry(&mut self, id: u64) -> &mut Option<(u64, Option<u64>)> {
        let last = self.entries.len() - 1;
        let mut at = id as usize & last;
        while self.entries[at].is_some_and(|entry| entry.0 != id) {
            at = (at + 1) & last;
        }
        &mut self.entries[at]
    }
}
