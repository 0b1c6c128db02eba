/** The message for a name that is none of `names`: the nearest of them, if one is near, and the list. `what` is its kind. */
export function unknownName(name: string, names: readonly string[], what: string): string {
  const meant = nearestName(name, names);
  return `There is no ${what} "${name}".${meant ? ` Did you mean "${meant}"?` : ""} Known: ${names.join(", ")}.`;
}

/** The nearest of `names`, if one is near. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const known of names) {
    const edits = distance(name.toLowerCase(), known.toLowerCase());
    if (edits < least || (edits === least && known < (nearest ?? ""))) [least, nearest] = [edits, known];
  }
  return nearest !== undefined && least <= Math.floor(Math.min(nearest.length, name.length) / 2) ? nearest : undefined;
}

/** Edits between two names; none where leaving letters out of one makes the other, of at least four letters. */
function distance(left: string, right: string): number {
  if (isWithin(left, right) || isWithin(right, left)) return 0;
  const row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let i = 0; i < left.length; i++) {
    let diagonal = row[0] as number;
    row[0] = i + 1;
    for (let j = 0; j < right.length; j++) {
      const above = row[j + 1] as number;
      row[j + 1] = left[i] === right[j] ? diagonal : 1 + Math.min(diagonal, above, row[j] as number);
      diagonal = above;
    }
  }
  return row[right.length] as number;
}

function isWithin(short: string, long: string): boolean {
  if (short.length < 4) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length;
}
