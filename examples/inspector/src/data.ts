import type { InspectorDocument } from "../../../js/src/cli/inspector/document.ts";
import { type Packed, packed, unpacked } from "../../../js/src/cli/inspector/packed.ts";

/** A document as a report holds it: packed, compressed, and in base64. */
export async function dataOf(document: InspectorDocument): Promise<string> {
  const text = JSON.stringify(packed(document));
  const bytes = await through(new Blob([text]), new CompressionStream("gzip")).arrayBuffer();
  return base64(new Uint8Array(bytes));
}

export async function documentIn(data: string): Promise<InspectorDocument> {
  const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
  return unpacked((await through(new Blob([bytes]), new DecompressionStream("gzip")).json()) as Packed);
}

const through = (blob: Blob, stream: ReadableWritablePair): Response => new Response(blob.stream().pipeThrough(stream));

/** Arguments that a call takes at a time. */
const AT_ONCE = 30_000;

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return btoa(text);
}
