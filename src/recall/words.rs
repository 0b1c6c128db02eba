//! Words, as far as looking for them goes: without case, identifiers whole and in their pieces; of each word its runs of
//! four characters, so that its other forms share most of them in any language; pairs of letters where a script writes no
//! spaces.

use crate::base::text::lower;

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
}

/// Reports each word of a text: its hash, what it is, and its first byte (of a piece that of its identifier). `escaped`:
/// a backslash and the character after it are no part of a word.
pub fn each(text: &str, escaped: bool, each: &mut dyn FnMut(u64, Kind, usize)) {
    let mut word = Word::default();
    let (mut letters, mut last, mut last_at) = (0, '\0', 0);
    let mut chars = text.char_indices();
    loop {
        let (at, char) = chars.next().unwrap_or((text.len(), '\0'));
        let shape = shape(char);
        if shape != Shape::Part && !(shape == Shape::Joint && word.length > 0 && word.joint.is_none()) {
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
        letters = 0;
        match shape {
            Shape::Part => {
                let follows = text.as_bytes().get(at + 1).is_some_and(u8::is_ascii_lowercase);
                word.add(char, at, follows, each);
            }
            Shape::Joint => word.joint = Some(char).filter(|_| word.length > 0),
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
            *self = Self::default();
        }
    }
}

const START: u64 = 0xcbf2_9ce4_8422_2325;
/// Where the hash of a gram begins: a gram is no word.
const GRAM: u64 = START ^ 0xff;

/// One more character of what is hashed.
pub fn add(hash: u64, char: char) -> u64 {
    (hash ^ u64::from(u32::from(char))).wrapping_mul(0x0100_0000_01b3)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Ends a word.
    Other,
    /// Joins pieces of an identifier.
    Joint,
    /// A letter or digit.
    Part,
    /// A letter of a script that writes no spaces, or (hangul) joins to words what others write apart.
    Dense,
}

/// What a character is. The standard library's tables would take kilobytes.
fn shape(char: char) -> Shape {
    match u32::from(char) {
        0x2d..=0x2f | 0x5f => Shape::Joint,
        0x30..=0x39 | 0x41..=0x5a | 0x61..=0x7a => Shape::Part,
        0..=0xbf
        | 0xd7
        | 0xf7
        | 0x60c..=0x61f
        | 0x964..=0x965
        | 0x2000..=0x206f
        | 0x2190..=0x2bff
        | 0x3000..=0x3004
        | 0x3008..=0x3030
        | 0xfe00..=0xfe6f
        | 0xff00..=0xff0f
        | 0xff1a..=0xff20
        | 0xff3b..=0xff40
        | 0xff5b..=0xff65
        | 0xfff9..=0xfffd
        | 0x1_f000..=0x1_faff => Shape::Other,
        0xe00..=0xeff
        | 0x1000..=0x109f
        | 0x1100..=0x11ff
        | 0x1780..=0x17ff
        | 0x2e80..=0xd7af
        | 0xf900..=0xfaff
        | 0xff66..=0xff9f
        | 0x2_0000..=0x3_ffff => Shape::Dense,
        _ => Shape::Part,
    }
}
