/** Options, states and plans are flat; what is deeper than this has a cycle in it. */
const DEEPEST = 64;

/** Stands for what is no plain data: the engine refuses it by name, with the code that belongs there. */
function unreadable(): void {}

/**
 * A copy of plain data, for the engine to read without ever running code of the host: members are read once, here, where
 * a getter may throw. What is no plain data is a function in the copy.
 */
export function plain(value: unknown): unknown {
  try {
    return copy(value, 0);
  } catch {
    return unreadable;
  }
}

function copy(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      return value;
    case "undefined":
      return null;
    case "object":
      break;
    default:
      throw unreadable;
  }
  if (value === null) return null;
  if (depth > DEEPEST || ArrayBuffer.isView(value)) throw unreadable;
  if (Array.isArray(value)) return Array.from(value, (item) => copy(item, depth + 1));
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = copy((value as Record<string, unknown>)[name], depth + 1);
    // Assigned, it would be the prototype.
    if (name === "__proto__")
      Object.defineProperty(members, name, { value: member, enumerable: true, configurable: true, writable: true });
    else members[name] = member;
  }
  return members;
}
