// What a script says, as a text: a block of lines for each thing, a line that ends with a colon for the kind of those below
// it. `|` parts choices, `&` what stands together.
//
// A thing that stays has three lines: its values, the sentences of which one is said, and what must stand together on one
// line of the view. One that changes has the sentences of its first value, those of a second one if it changes twice, those
// of the last one, what must stand, and what may not stand behind that. `{v}` is the last value, `{w}` the one before it,
// `{u}` the first of three; # is a digit, @ a capital letter.

/** The things of a text. */
export function things(text) {
  let kind;
  return text
    .trim()
    .split("\n\n")
    .flatMap((block) => {
      if (block.endsWith(":")) {
        kind = block.slice(0, -1);
        return [];
      }
      const lines = block.split("\n");
      if (lines.length === 3)
        return [{ kind, values: choices(lines[0]), says: choices(lines[1]), keep: together(lines[2]) }];
      const [keep, stale] = lines.slice(-2).map(together);
      const [values, before, ...later] = lines.slice(0, -2).map(choices);
      const [between, says] = later.length > 1 ? later : [undefined, later[0]];
      return [{ values, before, ...(between && { between }), says, keep, stale }];
    });
}

function choices(line) {
  return line.split(" | ");
}

function together(line) {
  return line.split(" & ").map((one) => (one.includes(" | ") ? choices(one) : one));
}
