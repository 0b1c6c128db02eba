// Messages in the shape of Google's ADK (`{ role: "user" | "model", parts }`): parallel calls are one entry, their results one more.

export const contents = {
  name: "contents",

  read(entry, to) {
    to.role(entry.role === "model" ? "assistant" : "user");
    entry.parts.forEach((part, index) => {
      if (typeof part.text === "string") to.text(index, part.text);
      else if (part.functionCall) to.call(part.functionCall.id, part.functionCall.name, part.functionCall.args, index);
      else if (part.functionResponse) to.result(index, part.functionResponse.id, part.functionResponse.response, false);
      else if (part.inlineData)
        to.media(mediaKind(part.inlineData.mimeType), part.inlineData.data, part.inlineData.mimeType, index);
      else to.opaque(part);
    });
  },

  summary: (text) => ({ role: "user", parts: [{ text }] }),

  replace(entry, index, text) {
    const parts = [...entry.parts];
    const { functionResponse, functionCall } = parts[index];
    if (functionResponse) parts[index] = { functionResponse: { ...functionResponse, response: { result: text } } };
    else if (functionCall) parts[index] = { functionCall: { ...functionCall, args: JSON.parse(text) } };
    else parts[index] = { text };
    return { ...entry, parts };
  },
};

function mediaKind(mimeType) {
  if (mimeType.startsWith("image/")) return "image";
  return mimeType === "application/pdf" ? "pdf" : "file";
}

const counted = new WeakMap();

/** What an entry costs by the simulations' own rule: bytes / 4, every field floored on its own. */
export function bytes4(entry) {
  const known = counted.get(entry);
  if (known !== undefined) return known;
  const tokens = entry.parts.reduce((sum, part) => sum + partTokens(part), 0);
  counted.set(entry, tokens);
  return tokens;
}

function partTokens(part) {
  if (typeof part.text === "string") return quarter(part.text);
  if (part.functionCall) {
    const pairs = Object.entries(part.functionCall.args).map(([key, value]) => quarter(key) + quarter(String(value)));
    return quarter(part.functionCall.name) + pairs.reduce((sum, pair) => sum + pair, 0);
  }
  if (part.functionResponse)
    return quarter(part.functionResponse.name) + quarter(printed(part.functionResponse.response));
  return quarter(part.inlineData.mimeType) + Math.floor(part.inlineData.data.length / 4);
}

/** A flat map as Go prints it. */
const printed = (map) =>
  `map[${Object.keys(map)
    .sort()
    .map((key) => `${key}:${map[key]}`)
    .join(" ")}]`;

const quarter = (text) => Math.floor(Buffer.byteLength(text) / 4);

/** The same entry, whole or shortened: equal ids where it calls or answers, else a text with the same beginning or both its ends. */
export function standsFor(copy, original) {
  if (copy === original) return true;
  if (copy.role !== original.role || ids(copy) !== ids(original)) return false;
  return ids(original) !== "" || sameEnds(text(copy), text(original));
}

const ids = ({ parts }) => parts.map((part) => (part.functionCall ?? part.functionResponse)?.id ?? "").join("");
const text = ({ parts }) => parts.find((part) => part.text)?.text ?? "";

function sameEnds(short, whole) {
  if (short.startsWith(whole.slice(0, 40))) return true;
  const [start, end] = short.split(/\[[^\]]*\]/);
  return end !== undefined && (start + end).trim() !== "" && whole.startsWith(start) && whole.endsWith(end);
}
