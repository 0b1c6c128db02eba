/**
 * Undoes `js/scripts/separate.mjs`, which says why: the wasm of its parts, which lie there side by side by kind. Written for
 * code that runs once, before it is hot.
 */
export function assemble(parts: Uint8Array): Uint8Array<ArrayBuffer> {
  let read = 0;
  /** The next number as wasm writes them. */
  const next = (): number => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = parts[read++] as number;
      value |= (byte & 127) << shift;
      if (!(byte > 127)) return value;
    }
  };
  const list = (length: number): Int32Array => {
    if (length < 0 || length > parts.length) throw new Error(DAMAGED);
    return new Int32Array(length).map(next);
  };

  const [size, before, functions] = [next(), next(), next()];
  const lengths = list(next());
  const program = list(next());
  /** Where each code of the program begins. */
  const codes = [0];
  for (let at = 0; at < program.length; at++) if (program[at] === 0) codes.push(at + 1);
  /** Where each stream goes on. */
  const streams = new Int32Array(lengths.length);
  for (let stream = 0, at = read; stream < lengths.length; at += lengths[stream++] as number) streams[stream] = at;
  if (size < 0 || size > MOST) throw new Error(DAMAGED);

  const out = new Uint8Array(size);
  let written = 0;
  /** Copies a number, and gives it. */
  const number = (stream: number): number => {
    let at = streams[stream] as number;
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = parts[at++] as number;
      out[written++] = byte;
      value |= (byte & 127) << shift;
      if (!(byte > 127)) break;
    }
    streams[stream] = at;
    return value;
  };
  const verbatim = (count: number) => {
    if (count < 0 || written + count > size) throw new Error(DAMAGED);
    const at = streams[REST] as number;
    out.set(parts.subarray(at, at + count), written);
    streams[REST] = at + count;
    written += count;
  };

  verbatim(before);
  read = streams[CODES] as number;
  for (let left = functions; left > 0 && written < size; left--) {
    const end = number(SIZES) + written;
    for (let more = 2 * number(DECLARED); more > 0 && written < end; more--) number(DECLARED);
    while (written < end) {
      let code = parts[read++] as number;
      if (code === MORE) code += parts[read++] as number;
      let at = codes[code] as number;
      for (let item = program[at] ?? 0; item > 0; item = program[++at] as number) {
        if (item < NUMBER) out[written++] = item - BYTE;
        else if (item < LIST) number(item - NUMBER);
        else for (let more = number(item - LIST); more >= 0 && written < end; more--) number(item - LIST);
      }
      // What no code stands for has no bytes, and would be read for ever.
      if (program[at] !== 0 || read > parts.length) throw new Error(DAMAGED);
    }
  }
  verbatim(size - written);
  return out;
}

const DAMAGED = "the parts of the engine are damaged";
/** More bytes than an engine has. */
const MOST = 2 ** 26;
/** Streams that are not read by an instruction. */
const [REST, SIZES, DECLARED, CODES] = [0, 1, 2, 3];
/** In what a code means: a byte as it is; a number of a stream; a list of them. */
const [BYTE, NUMBER, LIST] = [1, 257, 257 + 64];
/** The first code that takes a second byte. */
const MORE = 255;
