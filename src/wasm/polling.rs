//! Waiting for the host's summarizer, so that what traps meanwhile is an error of one call and of no other.
//!
//! A future is polled from a microtask, where nobody catches what is thrown: a trap would end a Node process. So each poll
//! has a frame of JavaScript under it that does (`js/src/boundary/rounds.ts`).

use super::host::JsHost;
use js_sys::Promise;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// A call that waits: `Waiting` of `js/src/boundary/rounds.ts`.
    #[derive(Clone)]
    pub type JsRounds;

    /// Who is asked in the next step.
    #[wasm_bindgen(method)]
    pub(super) fn host(this: &JsRounds) -> JsHost;
    /// Asks the host's summarizer; the answers are plain data.
    #[wasm_bindgen(method)]
    pub(super) fn ask(this: &JsRounds, requests: JsValue) -> Promise;
    /// A round is over, and another follows.
    #[wasm_bindgen(method)]
    pub(super) fn next(this: &JsRounds, outcome: JsValue);
    /// Runs a step; what it traps with is thrown.
    #[wasm_bindgen(method, catch)]
    fn poll(this: &JsRounds, step: &mut dyn FnMut()) -> Result<(), JsValue>;
}

/// A future that fails where the one in it traps.
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
                // Whatever state it is in: nothing of it may run again, not even to be dropped.
                std::mem::forget(work);
                Poll::Ready(Err(trap))
            }
        }
    }
}
