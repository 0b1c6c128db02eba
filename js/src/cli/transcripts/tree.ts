/** One message of a chat that goes more than one way, and the one that it follows. */
export interface Node<T> {
  readonly id: string;
  readonly parent: string | undefined;
  readonly value: T;
}

export interface TreeOptions<T> {
  readonly current?: string | undefined;
  readonly counts?: (value: T) => boolean;
}

export interface Tree<T> {
  /** Each way from a beginning to an end, newest end first. */
  readonly branches: readonly (() => T[])[];
  /** Where it had to be guessed what follows what. */
  readonly doubts: readonly string[];
}

/**
 * The branches of a chat whose messages name the message that they follow. `current` is the end that was shown last; without
 * it, the last end in the file is the newest. A message whose parent is not in the file follows the one that stands before
 * it, and a circle is cut at its first message: either is reported. What does not `count` (a line about progress, a root) is
 * passed over: what follows it follows what it follows.
 */
export function treeOf<T>(nodes: readonly Node<T>[], { current, counts = () => true }: TreeOptions<T> = {}): Tree<T> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const all = [...byId.values()];
  const doubts: string[] = [];
  const named = parentsOf(all, byId, doubts);
  cutCircles(all, named, doubts);
  const counted = new Set(all.flatMap((node) => (counts(node.value) ? [node.id] : [])));
  const parents = new Map<string, string>();
  for (const id of counted) {
    const parent = nearest(named.get(id), named, counted);
    if (parent !== undefined) parents.set(id, parent);
  }
  const followed = new Set(parents.values());
  const ends = [...counted].filter((id) => !followed.has(id));
  const shown = nearest(current, named, counted);
  if (shown !== undefined) ends.push(shown);
  const seen = new Set<string>();
  const branches: (() => T[])[] = [];
  for (const end of ends.reverse()) {
    if (seen.has(end)) continue;
    for (let id: string | undefined = end; id !== undefined && !seen.has(id); id = parents.get(id)) seen.add(id);
    branches.push(() => wayTo(end, parents).map((id) => (byId.get(id) as Node<T>).value));
  }
  return { branches, doubts };
}

/** The message itself or the newest before it that counts. What is passed over is remembered, however long a run of it is. */
function nearest(
  from: string | undefined,
  parents: Map<string, string>,
  counted: ReadonlySet<string>,
): string | undefined {
  const passed: string[] = [];
  let id = from;
  while (id !== undefined && !counted.has(id)) {
    passed.push(id);
    id = parents.get(id);
  }
  for (const one of passed) {
    if (id === undefined) parents.delete(one);
    else parents.set(one, id);
  }
  return id;
}

function wayTo(end: string, parents: ReadonlyMap<string, string>): string[] {
  const way: string[] = [];
  for (let id: string | undefined = end; id !== undefined; id = parents.get(id)) way.push(id);
  return way.reverse();
}

function parentsOf(
  all: readonly Node<unknown>[],
  byId: ReadonlyMap<string, unknown>,
  doubts: string[],
): Map<string, string> {
  const parents = new Map<string, string>();
  let lost = 0;
  for (const [at, { id, parent }] of all.entries()) {
    if (parent === undefined) continue;
    const known = byId.has(parent);
    const before = all[at - 1]?.id;
    // The first one may go on from another file.
    if (known) parents.set(id, parent);
    else if (before !== undefined) {
      parents.set(id, before);
      lost += 1;
    }
  }
  if (lost > 0)
    doubts.push(
      `${lost === 1 ? "One message follows a message" : `${lost} messages follow messages`} that the file does not hold: read as following what stands before ${lost === 1 ? "it" : "them"}.`,
    );
  return parents;
}

function cutCircles(all: readonly Node<unknown>[], parents: Map<string, string>, doubts: string[]): void {
  const safe = new Set<string>();
  for (const { id: start } of all) {
    const way = new Set<string>();
    let id: string | undefined = start;
    while (id !== undefined && !safe.has(id) && !way.has(id)) {
      way.add(id);
      id = parents.get(id);
    }
    if (id !== undefined && way.has(id)) {
      // The first of the circle in the file, which is where the walk began or what it came to.
      const walked = [...way];
      const circle = new Set(walked.slice(walked.indexOf(id)));
      const first = all.find((node) => circle.has(node.id))?.id as string;
      parents.delete(first);
      doubts.push(`${circle.size} messages follow each other in a circle: read from the first of them on.`);
    }
    for (const one of way) safe.add(one);
  }
}
