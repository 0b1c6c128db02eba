//! Lookups by hash are correct and take bounded time, even if the hashes were chosen to collide.

use precis::base::distinct::Distinct;
use precis::base::id_map::IdMap;

#[test]
fn ids_that_want_the_same_place_are_kept_apart() {
    let ids = || (0..5_000_u64).map(|number| number << 40);
    for mut map in [IdMap::new(5_000), IdMap::new(0), IdMap::default()] {
        ids().for_each(|id| map.insert(id, id + 1));
        assert!(ids().all(|id| map.get(id) == Some(id + 1)));
        assert!(ids().step_by(2).all(|id| map.remove(id) == Some(id + 1) && map.get(id).is_none()));
        assert!(ids().skip(1).step_by(2).all(|id| map.get(id) == Some(id + 1)));
        assert_eq!((map.get(1), map.remove(3 << 40 | 1)), (None, None));
        ids().for_each(|id| map.insert(id, 7));
        assert!(ids().all(|id| map.get(id) == Some(7)));
    }
}

#[test]
fn a_map_grows_beyond_what_was_announced() {
    let mut map = IdMap::new(4);
    let id = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..1_000).for_each(|number| map.insert(id(number), number));
    assert!((0..1_000).all(|number| map.get(id(number)) == Some(number)));
    assert_eq!(map.get(id(1_000)), None);
}

#[test]
fn texts_with_the_same_hash_are_distinguished() {
    let texts: Vec<String> = (0..2_000).map(|number| format!("file_{number}.rs")).collect();
    let mut distinct = Distinct::default();
    for round in 0..2 {
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(distinct.hashed(7, text), (number, round == 0));
        }
    }
    assert_eq!(distinct.number("file_1.rs"), (texts.len(), true), "of its own hash");
    assert_eq!(distinct.all.len(), texts.len() + 1);
}
