//! Waits for the host's summarizer so that a trap meanwhile is an error of this call only.
//!
//! A future is polled from a microtask, where nothing catches errors: a trap would end a Node process. So each poll is
//! called through JavaScript that catches it (`js/src/boundary/rounds.ts`).
//!
//! The same holds for the microtasks of the bindings and for the summarizer's answers: whatever enters the engine in a
//! task of its own has a frame of JavaScript under it that catches. A step that traps ends its own call, with the text
//! of the panic. All other calls that waited in that instance go on in the next one, from the round they were in, and
//! nothing is asked twice. The same happens when an instance is let go for its size, so nothing large is kept while a
//! summarizer thinks. A trap between the steps ends no call unless it comes back three times.

use super::host::JsHost;
use js_sys::Promise;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// A waiting call: `Waiting` of `js/src/boundary/rounds.ts`.
    #[derive(Clone)]
    pub type JsRounds;

    /// The host of the next step.
    #[wasm_bindgen(method)]
    pub(super) fn host(this: &JsRounds) -> JsHost;
    /// Calls the host's summarizer. The answers are plain data.
    #[wasm_bindgen(method)]
    pub(super) fn ask(this: &JsRounds, requests: JsValue) -> Promise;
    /// Reports that a round is complete and another one follows.
    #[wasm_bindgen(method)]
    pub(super) fn next(this: &JsRounds, outcome: JsValue);
    /// Runs a step. Throws what the step traps with.
    #[wasm_bindgen(method, catch)]
    fn poll(this: &JsRounds, step: &mut dyn FnMut()) -> Result<(), JsValue>;
}

/// A future that fails if the inner one traps.
pub(super) struct Guarded<F> {
    rounds: JsRounds,
    work: Option<Pin<Box<F>>>,
}

impl<F> Guarded<F> {
    pub(super) fn new(rounds: JsRounds, work: F) -> Self {
        Self { rounds, work: Some(Box::pin(work)) }
    }
}

impl<F: Future<Output = Result<JsValue, JsValue>>> Future for Guarded<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Some(mut work) = self.work.take() else { return Poll::Pending };
        let mut polled = Poll::Pending;
        match self.rounds.poll(&mut || polled = work.as_mut().poll(context)) {
            Ok(()) => {
                self.work = Some(work);
                polled
            }
            Err(trap) => {
                // The future may be in any state, so none of its code may run again, not even to drop it.
                std::mem::forget(work);
                Poll::Ready(Err(trap))
            }
        }
    }
}
