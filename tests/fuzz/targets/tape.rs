//! The tape and the records: whatever comes is decoded or refused; what is decoded is the same however it was cut.
#![no_main]

use libfuzzer_sys::{
    arbitrary::{self, Arbitrary},
    fuzz_target,
};
use precis::ingest::content_reader;
use precis::ingest::pairs::{self, Cuts};
use precis::ingest::record_writer::RecordWriter;
use precis::model::message::MessageRecord;
use precis::tokens::Estimator;
use precis_fuzz::chat::Op;
use precis_fuzz::support::{Chat, M, Tape};

#[derive(Arbitrary, Debug)]
enum Input {
    /// Ops as they come.
    Raw { ops: Vec<u32>, text: Vec<u8>, estimator: u8 },
    /// Small ops, most of which mean something.
    Ops { ops: Vec<u8>, text: String, estimator: u8 },
    /// Messages, their strings cut into chunks.
    Messages { ops: Vec<Op>, chunk: u8, estimator: u8 },
    /// Words that may be records.
    Records(Vec<u32>),
}

const ESTIMATORS: [&str; 5] = ["lexical", "bytes4", "lexical:claude", "lexical:o200k", "host"];

fn estimator(number: u8) -> Estimator {
    Estimator::parse(ESTIMATORS[usize::from(number) % ESTIMATORS.len()]).unwrap()
}

fuzz_target!(|input: Input| match input {
    Input::Raw { ops, text, estimator: number } => decode(&ops, &text, &estimator(number)),
    Input::Ops { ops, text, estimator: number } => {
        let ops: Vec<u32> = ops.into_iter().map(u32::from).collect();
        decode(&ops, text.as_bytes(), &estimator(number));
    }
    Input::Messages { ops, chunk, estimator: number } => messages(&ops, usize::from(chunk), &estimator(number)),
    Input::Records(words) => {
        if let Some(all) = MessageRecord::split(&words) {
            let cuts = Cuts::of(&all);
            assert!(cuts.pending.is_none_or(|pending| pending < all.len()));
            pairs::check(&all);
            pairs::alternation(&all);
            assert_eq!(all.iter().map(|digest| digest.words().len()).sum::<usize>(), words.len());
        }
    }
});

fn decode(ops: &[u32], text: &[u8], estimator: &Estimator) {
    let mut writer = RecordWriter::new(estimator.clone());
    let digested = writer.push(ops, text).and_then(|()| writer.finish());
    let read = content_reader::read(ops, text);
    if let Ok(records) = digested {
        let all = MessageRecord::split(&records).expect("records that do not read back");
        let contents = read.expect("digested, but not read");
        assert_eq!(contents.len(), all.len());
        for (digest, content) in all.iter().zip(&contents) {
            assert_eq!((digest.role(), digest.parts().len()), (content.role, content.parts.len()));
        }
        // A second time it is the same.
        let mut again = RecordWriter::new(estimator.clone());
        again.push(ops, text).unwrap();
        assert_eq!(again.finish().unwrap(), records);
    }
}

fn messages(ops: &[Op], chunk: usize, estimator: &Estimator) {
    let mut chat = Chat::new(serde_json::json!({ "contextWindow": 1_000 }));
    let mut history: Vec<M> = Vec::new();
    ops.iter().take(16).for_each(|op| op.apply(&mut history, &mut chat));
    let mut whole = Tape::default();
    let mut cut = Tape::cut(chunk);
    for message in &history {
        whole.message(message);
        cut.message(message);
    }
    decode(&whole.ops, &whole.text, estimator);
    let digest = |tape: &Tape| {
        let mut writer = RecordWriter::new(estimator.clone());
        writer.push(&tape.ops, &tape.text).unwrap();
        writer.finish().unwrap()
    };
    let records = digest(&whole);
    assert_eq!(digest(&cut), records, "cut into chunks of {chunk}");
    assert_eq!(content_reader::read(&cut.ops, &cut.text), content_reader::read(&whole.ops, &whole.text));
    // One by one they are the same as together.
    let mut apart = Vec::new();
    for message in &history {
        let mut tape = Tape::default();
        tape.message(message);
        apart.extend(digest(&tape));
    }
    assert_eq!(apart, records);
}
