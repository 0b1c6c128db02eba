/** Undoes DEFLATE (RFC 1951) into as many bytes as `size` says. Written for code that runs once, before it is hot. */
export function inflate(input: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(size);
  let written = 0;
  let at = 0;
  let hold = 0;
  let held = 0;

  /** The next bits as a number. */
  const take = (count: number): number => {
    while (held < count) {
      if (at === input.length) throw new Error("the deflated bytes end too early");
      hold |= (input[at++] as number) << held;
      held += 8;
    }
    const value = hold & ((1 << count) - 1);
    hold >>>= count;
    held -= count;
    return value;
  };

  /** The next symbol of a code. */
  const symbol = ({ table, counts, symbols }: Code): number => {
    while (held < 15 && at < input.length) {
      hold |= (input[at++] as number) << held;
      held += 8;
    }
    const entry = table[hold & (TABLE - 1)] as number;
    if (entry > 0 && (entry & 15) <= held) {
      hold >>>= entry & 15;
      held -= entry & 15;
      return entry >> 4;
    }
    // A long code, which is rare: length by length, since codes of one length follow each other.
    let code = 0;
    for (let length = 1, first = 0, index = 0; length <= 15 && length <= held; length++) {
      const count = counts[length] as number;
      code |= (hold >> (length - 1)) & 1;
      if (code - first < count) {
        hold >>>= length;
        held -= length;
        return symbols[index + code - first] as number;
      }
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new Error("the deflated bytes end too early or hold an unknown code");
  };

  const stored = () => {
    at -= held >> 3;
    hold = held = 0;
    const length = take(16);
    take(16);
    out.set(input.subarray(at, at + length), written);
    at += length;
    written += length;
  };

  const dynamicCodes = (): [Code, Code] => {
    const literals = take(5) + 257;
    const distances = take(5) + 1;
    const lengths = new Uint8Array(19);
    for (let i = 0, count = take(4) + 4; i < count; i++) lengths[ORDER[i] as number] = take(3);
    const code = codeOf(lengths);
    const all = new Uint8Array(literals + distances);
    for (let i = 0; i < all.length; ) {
      const next = symbol(code);
      if (next < 16) all[i++] = next;
      else {
        const value = next === 16 ? (all[i - 1] as number) : 0;
        const end = i + (next === 16 ? 3 + take(2) : next === 17 ? 3 + take(3) : 11 + take(7));
        all.fill(value, i, end);
        i = end;
      }
    }
    return [codeOf(all.subarray(0, literals)), codeOf(all.subarray(literals))];
  };

  const block = ([literals, distances]: [Code, Code]) => {
    for (;;) {
      const literal = symbol(literals);
      if (literal === 256) return;
      if (written === size) throw new Error("more bytes come out of the deflated ones than expected");
      if (literal < 256) out[written++] = literal;
      else {
        const length = base(literal - 257, 4, 3, 258);
        let from = written - base(symbol(distances), 2, 1);
        if (from < 0 || written + length > size) throw new Error("the deflated bytes point outside");
        for (const end = written + length; written < end; ) out[written++] = out[from++] as number;
      }
    }
  };

  /** What a symbol of a length or distance stands for: so many values a step, and twice as many after each round. */
  const base = (value: number, round: number, first: number, last?: number): number => {
    if (value < 2 * round) return value + first;
    if (last !== undefined && value === 28) return last;
    const extra = Math.floor(value / round) - 1;
    return ((round + (value % round)) << extra) + first + take(extra);
  };

  for (let last = false; !last; ) {
    last = take(1) === 1;
    const kind = take(2);
    if (kind === 0) stored();
    else if (kind === 3) throw new Error("the deflated bytes hold an unknown block");
    else block(kind === 1 ? fixedCodes() : dynamicCodes());
  }
  if (written !== size) throw new Error(`${written} bytes instead of ${size} came out of the deflated ones`);
  return out;
}

/** A prefix code: looked up by its first bits, searched where it is longer. */
interface Code {
  /** By the next bits: 16 × symbol + length of its code, 0 where the code is longer. */
  readonly table: Uint16Array;
  /** How many codes there are of each length, and their symbols in order. */
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
}

const BITS = 10;
const TABLE = 1 << BITS;
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

function codeOf(lengths: Uint8Array): Code {
  const table = new Uint16Array(TABLE);
  const counts = new Uint16Array(16);
  const symbols = new Uint16Array(lengths.length);
  let placed = 0;
  for (let length = 1, code = 0; length < 16; length++, code <<= 1) {
    for (let symbol = lengths.indexOf(length); symbol >= 0; symbol = lengths.indexOf(length, symbol + 1)) {
      counts[length] = (counts[length] as number) + 1;
      symbols[placed++] = symbol;
      if (length <= BITS)
        for (let i = reversed(code, length); i < TABLE; i += 1 << length) table[i] = (symbol << 4) | length;
      code += 1;
    }
  }
  return { table, counts, symbols };
}

function reversed(code: number, length: number): number {
  let bits = 0;
  for (let i = 0; i < length; i++) bits |= ((code >> i) & 1) << (length - 1 - i);
  return bits;
}

function fixedCodes(): [Code, Code] {
  const literals = new Uint8Array(288).fill(8).fill(9, 144, 256).fill(7, 256, 280);
  return [codeOf(literals), codeOf(new Uint8Array(30).fill(5))];
}
