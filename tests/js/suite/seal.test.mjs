// States that pass through a client: sealed ones are opened as they were or not at all.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { openState, sealState } from "precis/seal";
import { chat, deepEqual, equal, notEqual, ok, rejects, test } from "./harness.mjs";
import { cases } from "./length.mjs";

const KEY = "a secret of more than sixteen bytes";
const compactor = createCompactor({ format: openaiChat, contextWindow: 3_000, maxOutputTokens: 200 });
const messages = chat(40);
const { state } = await compactor.beforeModel({ messages, state: null });
const broken = { name: "PrecisError", code: "seal-broken", path: "sealed" };
const badKey = { name: "PrecisError", code: "invalid-call", path: "key" };

test("a sealed state opens as it was, and the chat goes on from it", async () => {
  const sealed = await sealState(state, KEY);
  ok(/^[\w.-]+$/.test(sealed), "safe in an address, a header and a cookie");
  deepEqual(await openState(sealed, KEY), state);
  const { view } = await compactor.beforeModel({ messages, state: await openState(sealed, KEY) });
  deepEqual(view, (await compactor.beforeModel({ messages, state })).view);
});

test("a key may be a text, bytes, or a key of Web Crypto", async () => {
  const bytes = new TextEncoder().encode(KEY);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes, hmac, false, ["sign", "verify"]);
  for (const one of [KEY, bytes, key])
    for (const other of [KEY, bytes, key]) deepEqual(await openState(await sealState(state, one), other), state);
});

test("another key, another chat, and what is no sealed state are refused", async () => {
  const sealed = await sealState(state, KEY, "chat 1");
  deepEqual(await openState(sealed, KEY, "chat 1"), state);
  await rejects(openState(sealed, `${KEY}!`, "chat 1"), broken);
  for (const other of ["chat 2", "", "chat 1."]) await rejects(openState(sealed, KEY, other), broken);
  for (const none of [null, undefined, 5, {}, state, "", "precis1", "precis1..", "precis1.e30.", JSON.stringify(state)])
    await rejects(openState(none, KEY), broken);
});

test("a key that is none or too short, and nothing to seal, are refused", async () => {
  for (const key of [undefined, null, "", "too short", new Uint8Array(15), 7, {}]) {
    await rejects(sealState(state, key), badKey);
    await rejects(openState("", key), badKey);
  }
  for (const none of [null, undefined, "state", 5])
    await rejects(sealState(none, KEY), { name: "PrecisError", code: "invalid-call", path: "state" });
});

test("a key of Web Crypto for another hash, or for another use, is none", async () => {
  const bytes = new TextEncoder().encode(KEY);
  const make = (name, hash, uses) => crypto.subtle.importKey("raw", bytes, { name, hash }, false, uses);
  for (const hash of ["SHA-1", "SHA-512"]) {
    const key = await make("HMAC", hash, ["sign", "verify"]);
    await rejects(sealState(state, key), badKey);
    await rejects(openState("", key), badKey);
  }
  await rejects(sealState(state, await make("HMAC", "SHA-256", ["verify"])), badKey);
  await rejects(openState("", await make("HMAC", "SHA-256", ["sign"])), badKey);
});

test("a chat is named by a string: two objects would have one name", async () => {
  const badChat = { name: "PrecisError", code: "invalid-call", path: "chat" };
  const sealed = await sealState(state, KEY, "[object Object]");
  for (const chat of [{}, { id: 1 }, null, 5, ["a"]]) {
    await rejects(sealState(state, KEY, chat), badChat);
    await rejects(openState(sealed, KEY, chat), badChat);
  }
});

test("what is larger than any state is neither sealed nor read", async () => {
  await rejects(sealState({ ...state, more: "x".repeat(1_000_000) }, KEY), { code: "invalid-call", path: "state" });
  await rejects(openState(`precis1.${"A".repeat(2_000_000)}.AAAA`, KEY), broken);
  await rejects(openState(".".repeat(3_000_000), KEY), broken);
});

test("sealed states that were tampered with: none is opened", async () => {
  const key = await crypto.subtle.importKey(
    ...["raw", new TextEncoder().encode(KEY), { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]],
  );
  const small = { version: 1, revision: 3, cleared: { count: 8, chain: "00000000000000cc" } };
  const sealed = await sealState(small, key);
  const signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=";
  let seed = 1;
  const draw = (below) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  const tampered = () => {
    const at = draw(sealed.length);
    const sign = signs[draw(signs.length)];
    const kind = draw(4);
    if (kind === 0) return sealed.slice(0, at) + sign + sealed.slice(at + 1);
    if (kind === 1) return sealed.slice(0, at) + sign + sealed.slice(at);
    if (kind === 2) return sealed.slice(0, at) + sealed.slice(at + 1 + draw(4));
    const other = draw(sealed.length);
    return sealed.slice(0, Math.min(at, other)) + sealed.slice(Math.max(at, other));
  };
  let [tried, opened] = [0, 0];
  while (tried < cases(100_000, 5_000)) {
    const batch = Array.from({ length: 500 }, tampered).filter((text) => text !== sealed);
    tried += batch.length;
    const results = await Promise.allSettled(batch.map((text) => openState(text, key)));
    for (const { status, reason } of results) {
      if (status === "fulfilled") opened++;
      else if (reason.code !== "seal-broken") throw reason;
    }
  }
  equal(opened, 0);
  notEqual(tried, 0);
});

test("what cannot be a seal is refused without being decoded", async () => {
  const sealed = await sealState(state, KEY);
  const [form, payload, mac] = sealed.split(".");
  const long = "A".repeat(1024 * 1024 - 100);
  for (const text of [
    `${form}.${payload}.${long}`,
    `${form}.${payload}.${mac}A`,
    `${form}.${payload}.${mac.slice(1)}`,
    `${long}.`,
  ])
    await rejects(openState(text, KEY), broken);
});
