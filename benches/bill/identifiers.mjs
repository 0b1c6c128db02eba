// What counts as an identifier in this measurement. Written for it alone, as regular expressions, and apart from the
// engine's own scanner, so that the engine is not measured by what it happens to look for.
//
// An identifier is what has to be repeated exactly or is worth nothing: a URL, an e-mail address, a UUID, a path (from
// the root, relative with an extension, or of three parts and more), a file name with a well-known extension, host:port,
// a version of three numbers, hex of seven digits and more, a word of four characters and more with at least three digits
// in it (order, ticket, flight, payment numbers), a number of five digits and more, a ticket like ABC-12.
// Names of functions, amounts, dates, and plain words are none.

const KINDS = [
  /\bhttps?:\/\/[^\s"'`<>()[\]{}\\|,;]+/g,
  /[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/g,
  /\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b/g,
  /(?:~|\.{1,2})?(?:\/[\w.@+-]+){2,}/g,
  /[\w.@+-]+(?:\/[\w.@+-]+)+/g,
  /[\w-]+(?:\.[\w-]+)*\.(?:py|pyi|js|mjs|cjs|jsx|ts|tsx|mts|rs|go|c|h|cc|cpp|java|kt|rb|php|sh|json|jsonl|ya?ml|toml|md|txt|cfg|ini|lock|sql|html|css|svg|png|jpg|pdf|csv|log|xml|zip|gz|db)\b/g,
  /\b(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+|\d{1,3}(?:\.\d{1,3}){3}):\d{2,5}\b/g,
  /\bv?\d+\.\d+\.\d+(?:[-+.][0-9A-Za-z.-]*[0-9A-Za-z])?\b/g,
  /#?[A-Za-z0-9][A-Za-z0-9_-]{2,}[A-Za-z0-9]/g,
];
const URL_KIND = 0;
const ABSOLUTE = 3;
const RELATIVE = 4;
const WORD = KINDS.length - 1;

/** All identifiers of a text. */
export function identifiers(text) {
  const found = new Set();
  for (const [kind, expression] of KINDS.entries()) {
    for (const [match] of text.matchAll(expression)) {
      const one = match.replace(/[.:,;!?-]+$/, "");
      if (one.length <= 200 && isOne(kind, one)) found.add(one);
    }
  }
  return found;
}

function isOne(kind, one) {
  if (kind === ABSOLUTE) return /[A-Za-z]/.test(one);
  if (kind === RELATIVE) {
    const parts = one.split("/");
    return /[A-Za-z]/.test(one) && (parts.length > 2 || /\.[A-Za-z]{1,5}$/.test(one)) && !one.includes("@");
  }
  if (kind === WORD) {
    const digits = one.match(/\d/g)?.length ?? 0;
    if (/^#?\d+$/.test(one)) return digits >= 5;
    if (/^[A-Z]{2,}-\d+$/.test(one)) return true;
    if (/^\d{4}-\d\d-\d\d/.test(one) || /^[\d-]+$/.test(one)) return false;
    if (/^[0-9a-f]{7,}$/i.test(one)) return digits >= 2 && /[a-f]/i.test(one);
    return digits >= 3 && !/^\d+(?:ms|px|kb|mb|gb|th|st|nd|rd|am|pm)$/i.test(one);
  }
  return kind !== URL_KIND || one.length > 10;
}

/** Whether a text holds an identifier by itself, not as a part of a longer word. */
export function holds(text, identifier) {
  for (let at = text.indexOf(identifier); at >= 0; at = text.indexOf(identifier, at + 1)) {
    if (!isWord(text[at - 1], identifier[0]) && !isWord(text[at + identifier.length], identifier.at(-1))) return true;
  }
  return false;
}

function isWord(beside, edge) {
  return beside !== undefined && /\w/.test(beside) && /\w/.test(edge);
}
