// Whether a text says a thing: literally, and not as a part of a longer word, number or flag.

/** A text as it is searched: blanks are one blank each, and what is escaped as in JSON stands there unescaped, too. */
export function searchable(text) {
  const plain = text.replace(/\s+/g, " ");
  if (!plain.includes("\\")) return plain;
  return `${plain}\n${unescaped(plain)}`;
}

function unescaped(text) {
  return text
    .replace(/\\u([0-9a-fA-F]{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/(?:\\+[nrt])+/g, " ")
    .replace(/\\+(["'/\\])/g, "$1")
    .replace(/ +/g, " ");
}

/** Whether a searchable text holds a thing of a class. */
export function holds(text, kind, thing) {
  for (let at = text.indexOf(thing); at >= 0; at = text.indexOf(thing, at + 1)) {
    if (kind === "cjk" || kind === "phrases") return true;
    if (opens(text, at, kind) && closes(text, at + thing.length, kind)) return true;
  }
  return false;
}

function opens(text, at, kind) {
  const before = text[at - 1];
  if (kind === "flags") return !isWord(before) && before !== "-";
  if (!isWord(text[at])) return true;
  if (kind === "dates" && before === "T") return true;
  if (isWord(before)) return false;
  // 25 is not in 1.25 or 1,250; 30 is not in 2024-05-30 or 10:30.
  return kind !== "numbers" || !/[.,:/-]/.test(before ?? " ") || !isDigit(text[at - 2]);
}

function closes(text, end, kind) {
  const after = text[end];
  if (kind === "flags") return !isWord(after) && !(after === "-" && isWord(text[end + 1]));
  if (!isWord(text[end - 1])) return true;
  if (kind === "dates" && (after === "T" || after === "Z")) return true;
  if (isWord(after)) return false;
  return kind !== "numbers" || !/[.,:/-]/.test(after ?? " ") || !isDigit(text[end + 1]);
}

/** Letters of Latin, digits, and the underscore: scripts without blanks end a word of these. */
function isWord(character) {
  return character !== undefined && /[\w\u00c0-\u024f]/.test(character);
}

function isDigit(character) {
  return character !== undefined && character >= "0" && character <= "9";
}
