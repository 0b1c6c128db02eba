//! Which names a list shows: none that is a part of another one, none that has no room.

use precis::memory::name_list::{Added, NameList};

fn listed(names: &[(&'static str, usize)], room: usize) -> (Vec<Vec<&'static str>>, usize) {
    let mut list = NameList::default();
    let mut room = room;
    for &(name, line) in names {
        list.add(name, line, 0, &mut room);
    }
    ((0..3).map(|line| list.of_line(line).collect()).collect(), room)
}

#[test]
fn a_name_that_is_part_of_another_one_does_not_stand_there_by_itself() {
    let (lines, room) = listed(&[("agent.state", 1), ("agent.state.model", 1), ("state.model", 1), ("model", 1)], 30);
    assert_eq!(lines[1], ["agent.state.model"]);
    assert_eq!(room, 30 - "agent.state.model, ".len(), "what it took is free again");
    let (lines, room) = listed(&[("state", 0), ("state.state", 0)], 30);
    assert_eq!((lines[0].as_slice(), room), (["state.state"].as_slice(), 30 - "state.state, ".len()));
    let (lines, _) = listed(&[("tools.ts", 0), ("src/core", 0), ("src/core/tools.ts", 0), ("core", 0)], 100);
    assert_eq!(lines[0], ["src/core/tools.ts"]);
}

#[test]
fn a_name_in_an_earlier_line_stays_beside_one_that_holds_it_in_a_later_line() {
    let (lines, _) = listed(&[("agent.state", 0), ("agent.state.model", 2), ("state.model", 1)], 100);
    assert_eq!(lines, [vec!["agent.state"], vec!["state.model"], vec!["agent.state.model"]]);
}

#[test]
fn parts_of_words_and_numbers_are_no_parts_of_names() {
    let all = [("1.25", 0), ("25", 0), ("agents", 0), ("agent", 0), ("src/userName.ts", 0), ("userName", 0)];
    assert_eq!(listed(&all, 100).0[0], all.map(|(name, _)| name));
}

#[test]
fn what_has_no_room_is_left_out_and_said() {
    let mut list = NameList::default();
    let mut room = 10;
    list.hold("known");
    assert_eq!(list.add("known", 0, 0, &mut room), Added::Shown);
    assert_eq!(list.add("alpha", 0, 0, &mut room), Added::Yes);
    assert_eq!(list.add("beta", 0, 0, &mut room), Added::NoRoom);
    assert_eq!(list.add("alpha.x", 0, 0, &mut room), Added::Yes, "the room of its part counts");
    assert_eq!((list.of_line(0).collect::<Vec<_>>(), room), (vec!["alpha.x"], 1));
}
