//! What the exports return, as objects of JavaScript.

use super::objects::{object, to_js};
use crate::base::archive::Record;
use crate::base::json::Json;
use crate::call::committed::Committed;
use crate::call::standing::Standing;
use crate::engine::fast_path::{self, Passed};
use crate::ingest::host::Sent;
use crate::model::message::hex;
use crate::summary::request::Request;
use js_sys::{Array, Float64Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;

/// `{ id, kind, system, prompt, maxOutputTokens, chat, append }[]`, the last two as views are.
pub(super) fn requests_to_js<'r>(requests: impl Iterator<Item = &'r Request>) -> JsValue {
    let request = |request: &Request| {
        object(&[
            ("id", (&*request.id).into()),
            ("kind", request.kind.into()),
            ("system", (&*request.system).into()),
            ("prompt", (&*request.prompt).into()),
            ("maxOutputTokens", to_js(&Json::from(request.max_output_tokens))),
            ("chat", Uint32Array::from(&runs(&request.chat)[..]).into()),
            ("append", Uint32Array::from(&runs(&request.append)[..]).into()),
        ])
    };
    requests.map(request).collect::<Array>().into()
}

/// `{ state, report, changed, open, view, standing, template, next }`.
pub(super) fn committed(mut committed: Committed) -> JsValue {
    let standing = committed.standing.as_ref().map_or(JsValue::UNDEFINED, standing_to_js);
    let template = committed.standing.as_ref().and_then(|standing| fast_path::template(standing, &committed.report));
    let template = template.map_or(JsValue::UNDEFINED, |template| to_js(&template.to_json()));
    let next = committed.next.as_mut().map_or(JsValue::UNDEFINED, |next| to_js(&next.to_json()));
    object(&[
        ("state", to_js(&committed.state.to_json())),
        ("report", to_js(&committed.report.to_json())),
        ("changed", committed.changed.into()),
        ("open", committed.report.before.is_open().into()),
        ("view", Uint32Array::from(&runs(&committed.view)[..]).into()),
        ("standing", standing),
        ("template", template),
        ("next", next),
    ])
}

/// The differences from the previous call, `{ numbers, texts, standing }`. Most calls return only this, so it crosses
/// the boundary in as few values as possible. `unfolded` in `js/src/boundary/glue.ts` reads them in this order. The
/// texts are one per line.
#[allow(clippy::cast_precision_loss, reason = "whole numbers here are at most 2^53")]
pub(super) fn again(Passed { usage, at, outcome, sent, request, reason, saved, standing }: &Passed) -> JsValue {
    let mut numbers = vec![
        usage.tokens,
        usage.raw,
        usage.window,
        usage.trigger,
        usage.until_compaction(),
        usage.bound,
        usage.reply_room(),
        at.count,
        *saved,
    ];
    numbers.extend(usage.parts.counts());
    let numbers: Vec<f64> = numbers.into_iter().map(|number| number as f64).collect();
    let fraction = Json::Fraction { millionths: usage.fraction() as i64, bits: 0 };
    let sent = sent.map_or_else(String::new, hex);
    let texts = [outcome.as_str(), usage.source(), request, reason, &hex(at.chain), &sent].join("\n");
    object(&[
        ("numbers", Float64Array::from(&numbers[..]).into()),
        ("fraction", to_js(&fraction)),
        ("texts", texts.into()),
        ("standing", standing_to_js(standing)),
    ])
}

pub(super) fn standing_to_js(standing: &Standing) -> JsValue {
    Uint8Array::from(&standing.to_bytes()[..]).into()
}

/// The messages to send, as triples: `0, from, to` for the host's own messages, `1, number, 0` for one created in this
/// call.
fn runs(view: &[Sent]) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::new();
    for sent in view {
        match *sent {
            Sent::Input(input) => {
                let input = input as u32;
                let end = out.len();
                if end >= 3 && out[end - 3] == 0 && out[end - 1] == input {
                    out[end - 1] = input + 1;
                } else {
                    out.extend([0, input, input + 1]);
                }
            }
            Sent::Made(number) => out.extend([1, number, 0]),
        }
    }
    out
}
