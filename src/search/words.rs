//! Words, as far as looking for them goes: without case, identifiers whole and in their pieces; of each word its runs of
//! four characters, so that its other forms share most of them in any language; pairs of letters where a script writes no
//! spaces.

use crate::base::text::lower;
use crate::base::words::{Shape, shape};

/// What was met in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Four neighbouring characters of a word, its two ends among them; a word of one letter whole. Reported before the word.
    Gram,
    /// A word, or a piece of an identifier.
    Word,
    /// An identifier of several pieces or a word with a digit in it, reported after its pieces.
    Whole,
    /// Two neighbouring letters of a script without spaces.
    Pair,
    /// One letter of such a script.
    Letter,
    /// The same letter once more, if it has no neighbours.
    Alone,
    /// What was reported since the last end belongs together, and nothing around it has to do with it: a word with its
    /// pieces, or letters without spaces. Reported with the byte behind it, and without a hash.
    End,
}

/// What of the words of a passage does not depend on a query.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words {
    /// How many there are.
    pub length: u64,
    /// A hash over all of them: what says the same has the same.
    pub print: u64,
}

impl Words {
    /// Takes in what was met.
    pub fn add(&mut self, hash: u64, kind: Kind) {
        if matches!(kind, Kind::Word | Kind::Letter) {
            self.length += 1;
            self.print = u64::rotate_left(self.print, 5) ^ hash;
        }
    }
}

/// Reports each word of a text: its hash, what it is, and its first byte (of a piece that of its identifier). `escaped`:
/// a backslash and the character after it are no part of a word.
pub fn each(text: &str, escaped: bool, each: &mut dyn FnMut(u64, Kind, usize)) {
    let mut word = Word::default();
    let (mut letters, mut last, mut last_at) = (0, '\0', 0);
    let mut chars = text.char_indices();
    loop {
        let (at, char) = chars.next().unwrap_or((text.len(), '\0'));
        let joint = is_joint(char);
        // What joins pieces is none.
        let shape = if joint { Shape::Other } else { shape(char) };
        if shape != Shape::Part && !(joint && word.length > 0 && word.joint.is_none()) {
            word.end(each);
        }
        if shape == Shape::Dense {
            if letters > 0 {
                each(add(add(START, last), char), Kind::Pair, last_at);
            }
            each(add(START, char), Kind::Letter, at);
            (letters, last, last_at) = (letters + 1, char, at);
            continue;
        }
        if letters == 1 {
            each(add(START, last), Kind::Alone, last_at);
        }
        if letters > 0 {
            each(0, Kind::End, last_at + last.len_utf8());
        }
        letters = 0;
        match shape {
            Shape::Part => {
                let follows = text.as_bytes().get(at + 1).is_some_and(u8::is_ascii_lowercase);
                word.add(char, at, follows, each);
            }
            _ if joint => word.joint = Some(char).filter(|_| word.length > 0),
            _ if at == text.len() => return,
            _ if escaped && char == '\\' => drop(chars.next()),
            _ => {}
        }
    }
}

/// A word that is being read.
#[derive(Default)]
struct Word {
    whole: u64,
    piece: u64,
    at: usize,
    /// The byte behind it.
    end: usize,
    /// Characters of the piece.
    length: usize,
    /// Pieces that are complete.
    pieces: usize,
    digit: bool,
    /// The last character was upper case.
    upper: bool,
    /// What may join the next piece.
    joint: Option<char>,
    /// The last three characters of the piece, the end in front of it among them.
    last: [char; 3],
}

/// What stands for both ends of a word.
const END: char = ' ';

impl Word {
    fn add(&mut self, char: char, at: usize, follows: bool, each: &mut dyn FnMut(u64, Kind, usize)) {
        let lower = lower(char);
        let upper = lower != char;
        // The sigma at the end of a word is the same letter.
        let folded = if lower == 'ς' { 'σ' } else { lower };
        let joint = self.joint.take();
        // `userName`, and the name in `HTMLName`.
        if joint.is_some() || upper && self.length > 0 && (!self.upper || follows) {
            self.close(each);
        }
        if self.length == 0 {
            self.piece = START;
            self.last = ['\0', '\0', END];
            if self.pieces == 0 {
                (self.whole, self.at) = (START, at);
            }
        }
        if let Some(joint) = joint {
            self.whole = add(self.whole, joint);
        }
        self.piece = add(self.piece, folded);
        self.whole = add(self.whole, folded);
        self.gram(folded, self.length >= 2, each);
        self.end = at + char.len_utf8();
        self.length += 1;
        self.digit |= char.is_ascii_digit();
        self.upper = upper;
    }

    /// One more character: with the three before it a gram, if there are as many.
    fn gram(&mut self, char: char, complete: bool, each: &mut dyn FnMut(u64, Kind, usize)) {
        let [first, second, third] = self.last;
        if complete {
            each([first, second, third, char].into_iter().fold(GRAM, add), Kind::Gram, self.at);
        }
        self.last = [second, third, char];
    }

    fn close(&mut self, each: &mut dyn FnMut(u64, Kind, usize)) {
        self.gram(END, true, each);
        each(self.piece, Kind::Word, self.at);
        self.pieces += 1;
        self.length = 0;
    }

    fn end(&mut self, each: &mut dyn FnMut(u64, Kind, usize)) {
        if self.length > 0 {
            self.close(each);
            if self.pieces > 1 || self.digit {
                each(self.whole, Kind::Whole, self.at);
            }
            each(0, Kind::End, self.end);
            *self = Self::default();
        }
    }
}

/// Where a hash begins.
pub const START: u64 = 0xcbf2_9ce4_8422_2325;
/// Where the hash of a gram begins: a gram is no word.
const GRAM: u64 = START ^ 0xff;

/// One more character of what is hashed.
pub fn add(hash: u64, char: char) -> u64 {
    (hash ^ u64::from(u32::from(char))).wrapping_mul(0x0100_0000_01b3)
}

/// A hash in 16 bits: what tells most words apart.
pub const fn fold(hash: u64) -> u16 {
    (hash ^ hash >> 16 ^ hash >> 32 ^ hash >> 48) as u16
}

/// Whether a sign joins pieces of an identifier.
fn is_joint(char: char) -> bool {
    matches!(char, '-' | '.' | '/' | '_')
}
