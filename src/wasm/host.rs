//! The host's side of a call: what the engine asks while it works.

use crate::base::error::{Code, Error};
use crate::ingest::content::{self, Content};
use crate::ingest::host::{Host, Product, Sent};
use crate::wasm::block;
use crate::wasm::reading::{Reading, Taker};
use crate::wasm::wire::{Reader, Writer};

#[cfg(feature = "module")]
#[link(wasm_import_module = "precis")]
unsafe extern "C" {
    /// Asks the host; `args` is read before anything else happens. Answers a block made by [`crate::wasm::exports::room`]: its length,
    /// then 0 and what was asked for, or 1 if the host threw.
    safe fn ask(number: u32, args: *const u8) -> *mut u8;
}

/// Where nobody is asked, as in tests of this module alone, nobody answers.
#[cfg(not(feature = "module"))]
fn ask(_: u32, _: *const u8) -> *mut u8 {
    block::give(vec![5, 0, 0, 0, 1])
}

/// A host during one call: counts what it makes.
#[derive(Default)]
pub struct Bridge {
    made: u32,
    /// It threw; so the call ends with an error that the host knows better.
    pub thrown: bool,
}

impl Bridge {
    #[inline(never)]
    fn ask(&mut self, number: u32, args: Writer) -> Result<Vec<u8>, Error> {
        let args = args.finish();
        // SAFETY: the host answers a block that it filled and forgets.
        let answer = unsafe { block::take(ask(number, args.as_ptr())) };
        if answer.get(4) == Some(&0) {
            return Ok(answer);
        }
        self.thrown = true;
        Err(Error::new(Code::InvalidCall, "The format threw."))
    }

    /// A message that the host made, by its record; none if it made none.
    #[inline(never)]
    fn made(&mut self, number: u32, args: Writer) -> Result<Option<Product>, Error> {
        let answer = self.ask(number, args)?;
        Ok(Reader::new(&answer[5..]).words().map(|record| {
            self.made += 1;
            Product { record, number: self.made - 1 }
        }))
    }

    fn need(&mut self, number: u32, args: Writer) -> Result<Product, Error> {
        self.made(number, args)?.ok_or_else(|| Error::new(Code::Boundary, "The host made no message."))
    }
}

impl Host for Bridge {
    fn read(&mut self, inputs: &[usize]) -> Result<Vec<Content>, Error> {
        let mut args = Writer::default();
        let words: Vec<u32> = inputs.iter().map(|&input| input as u32).collect();
        args.words(&words);
        let reading = Reading::open(Taker::Contents(content::Reader::default()));
        args.whole(reading as u32);
        // SAFETY: it was opened just now. While the host is asked, only its pushes use it.
        args.whole(unsafe { &*reading }.buffer());
        let asked = self.ask(0, args);
        // SAFETY: the host has answered, and names it no more.
        let read = unsafe { (*reading).finish() };
        // SAFETY: as above.
        unsafe { Reading::free(reading) };
        asked?;
        let contents = match read {
            Some(Taker::Contents(reader)) => reader.finish()?,
            _ => Vec::new(),
        };
        if contents.len() == inputs.len() {
            Ok(contents)
        } else {
            Err(Error::new(Code::Boundary, "The host answered other messages than were asked for."))
        }
    }

    fn summary(&mut self, text: &str, id: &str, covers: u64) -> Result<Product, Error> {
        let mut args = Writer::default();
        args.text(text);
        args.text(id);
        args.value(&covers.into());
        self.need(1, args)
    }

    fn remade(&mut self, input: usize, key: &str) -> Result<Option<Product>, Error> {
        let mut args = Writer::default();
        args.whole(input as u32);
        args.text(key);
        self.made(2, args)
    }

    fn replace(&mut self, input: usize, key: &str, texts: &[(u32, String)]) -> Result<Product, Error> {
        let mut args = Writer::default();
        args.whole(input as u32);
        args.text(key);
        let parts: Vec<u32> = texts.iter().map(|(part, _)| *part).collect();
        args.words(&parts);
        args.list(texts.len());
        for (_, text) in texts {
            args.text(text);
        }
        self.need(3, args)
    }

    fn result(&mut self, id: &str, name: &str, text: &str) -> Result<Option<Product>, Error> {
        let mut args = Writer::default();
        args.text(id);
        args.text(name);
        args.text(text);
        self.made(4, args)
    }

    fn merge(&mut self, first: Sent, second: Sent) -> Result<Product, Error> {
        let mut args = Writer::default();
        let pair = [first, second].map(|sent| match sent {
            Sent::Input(input) => [0, input as u32],
            Sent::Made(number) => [1, number],
        });
        args.words(pair.as_flattened());
        self.need(5, args)
    }
}
