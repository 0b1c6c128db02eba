// The engine's wasm with what is alike side by side: first all instructions, then all numbers of locals, all offsets, and so
// on. DEFLATE makes a fifth less of that than of a program, where they alternate. `js/src/load/assemble.ts` undoes it.
//
// Instructions are written as codes. A code stands for the bytes that an instruction always has (its opcode; in loads and
// stores their alignment) and for the streams that its numbers are in, or for several instructions that often follow each
// other. What each code means stands in the result, so that what undoes this knows nothing of wasm's instructions.

/** What is no instruction; lengths of functions; their locals; instructions. `assemble.ts` knows their places. */
const OWN = ["rest", "sizes", "declared", "codes"];
/** Streams of numbers. */
const NUMBERS = ["local", "block", "label", "list", "function", "type", "global", "offset", "i32", "i64"];
const STREAMS = [...OWN, ...NUMBERS];
/** In what a code means: the end; a byte as it is; a number of a stream; a list of them. As `assemble.ts` reads it. */
const [END, BYTE, NUMBER, LIST] = [0, 1, 257, 257 + 64];

/** By opcode: the streams of an instruction's numbers, in their order; null for a number that belongs to the code itself. */
const OPERANDS = new Map([
  ...[0x02, 0x03, 0x04].map((op) => [op, ["block"]]),
  ...[0x0c, 0x0d].map((op) => [op, ["label"]]),
  [0x10, ["function"]],
  [0x11, ["type", null]],
  // Of a type that is named.
  [0x1c, [null, null]],
  ...[0x20, 0x21, 0x22].map((op) => [op, ["local"]]),
  ...[0x23, 0x24].map((op) => [op, ["global"]]),
  ...[0x25, 0x26, 0x3f, 0x40, 0xd0, 0xd2].map((op) => [op, [null]]),
  ...Array.from({ length: 0x3f - 0x28 }, (_, at) => [0x28 + at, [null, "offset"]]),
  [0x41, ["i32"]],
  [0x42, ["i64"]],
]);
const BRANCH_TABLE = 0x0e;
/** Constants with a fraction: so many bytes. There are few, and each is a code of its own. */
const FRACTIONS = new Map([
  [0x43, 4],
  [0x44, 8],
]);
/** Followed by a number that says which, and by as many more. */
const MISCELLANEOUS = 0xfc;
const OF_MISCELLANEOUS = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1];
/** The first of tail calls and exceptions; of vectors and threads: what the engine is not compiled for. */
const FOREIGN = [0x06, 0x0a, 0x12, 0x1a, 0xc5, 0xd0, 0xd3, 0xfc, 0xfd, 0x100];

/** `assemble` of the result is the wasm again. */
export function separate(wasm) {
  const streams = Object.fromEntries(STREAMS.map((name) => [name, []]));
  const keep = (name, from, to) => {
    for (let at = from; at < to; at++) streams[name].push(wasm[at]);
  };
  const { from, to } = functionsOf(wasm);
  let at = from;
  const number = () => {
    const [value, behind] = numberAt(wasm, at);
    at = behind;
    return value;
  };

  /** Reads an instruction: its meaning, with its numbers in their streams. */
  const instruction = () => {
    const begin = at;
    const op = wasm[at++];
    if (isForeign(op)) throw new Error(`the wasm has an instruction ${op}`);
    const literal = (from) => [...wasm.subarray(from, at)].map((byte) => BYTE + byte);
    if (op === BRANCH_TABLE) {
      for (let left = number() + 1; left > 0; left--) number();
      keep("list", begin + 1, at);
      return [BYTE + op, LIST + STREAMS.indexOf("list")];
    }
    if (op === MISCELLANEOUS) {
      const more = OF_MISCELLANEOUS[number()];
      if (more === undefined) throw new Error(`the wasm has an instruction ${op}, ${wasm[begin + 1]}`);
      for (let left = more; left > 0; left--) number();
      return literal(begin);
    }
    at += FRACTIONS.get(op) ?? 0;
    const meaning = literal(begin);
    for (const stream of OPERANDS.get(op) ?? []) {
      const from = at;
      number();
      if (stream === null) meaning.push(...literal(from));
      else {
        keep(stream, from, at);
        meaning.push(NUMBER + STREAMS.indexOf(stream));
      }
    }
    return meaning;
  };

  const meanings = [];
  const seen = new Map();
  const instructions = [];
  const functions = number();
  const before = at;
  keep("rest", 0, before);
  for (let left = functions; left > 0; left--) {
    const begin = at;
    const end = number() + at;
    keep("sizes", begin, at);
    const declared = at;
    for (let left = 2 * number(); left > 0; left--) number();
    keep("declared", declared, at);
    while (at < end) {
      const meaning = instruction();
      const key = meaning.join();
      if (!seen.has(key)) seen.set(key, meanings.push(meaning) - 1);
      instructions.push(seen.get(key));
    }
    if (at !== end) throw new Error("an instruction of the wasm is longer than it is taken for");
    instructions.push(BETWEEN);
  }
  if (at !== to) throw new Error("the functions of the wasm end elsewhere than their section");
  keep("rest", to, wasm.length);

  for (const code of joined(instructions, meanings))
    if (code !== BETWEEN) streams.codes.push(...(code < MORE ? [code] : [MORE, code - MORE]));
  const program = meanings.flatMap((meaning) => [...meaning, END]);
  const lengths = STREAMS.map((name) => streams[name].length);
  const head = [wasm.length, before, functions, lengths.length, ...lengths, program.length, ...program];
  return Buffer.from([...head.flatMap(leb), ...STREAMS.flatMap((name) => streams[name])]);
}

/** Between two functions, which no code spans. */
const BETWEEN = -1;
/** The first code that takes a second byte. */
const MORE = 255;

/** The codes once pairs that often follow each other are codes as well, as long as a byte has room; adds their meanings. */
function joined(codes, meanings) {
  let all = codes;
  while (meanings.length < MORE) {
    const [one, other] = commonest(all);
    const made = meanings.push([...meanings[one], ...meanings[other]]) - 1;
    const next = [];
    for (let at = 0; at < all.length; at++) {
      const isPair = all[at] === one && all[at + 1] === other;
      next.push(isPair ? made : all[at]);
      if (isPair) at += 1;
    }
    all = next;
  }
  return all;
}

function commonest(codes) {
  const counts = new Uint32Array(MORE * MORE);
  let most = 0;
  for (let at = 1; at < codes.length; at++) {
    if (codes[at - 1] === BETWEEN || codes[at] === BETWEEN) continue;
    const pair = codes[at - 1] * MORE + codes[at];
    counts[pair] += 1;
    if (counts[pair] > counts[most]) most = pair;
  }
  return [Math.floor(most / MORE), most % MORE];
}

function isForeign(op) {
  return FOREIGN.findIndex((first) => op < first) % 2 === 1;
}

/** Where the content of the section of functions is. */
function functionsOf(wasm) {
  for (let at = 8; at < wasm.length; ) {
    const kind = wasm[at];
    const [size, from] = numberAt(wasm, at + 1);
    if (kind === 10) return { from, to: from + size };
    at = from + size;
  }
  throw new Error("the wasm has no functions");
}

/** A number as wasm writes it, and the place behind it. */
function numberAt(wasm, from) {
  let value = 0;
  for (let at = from, unit = 1; ; unit *= 128) {
    const byte = wasm[at++];
    value += (byte & 127) * unit;
    if (byte < 128) return [value, at];
  }
}

function leb(value) {
  return value < 128 ? [value] : [(value % 128) | 128, ...leb(Math.floor(value / 128))];
}
