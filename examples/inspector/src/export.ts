import type { InspectorDocument } from "../../../js/src/cli/inspector/document.ts";
import { type Packed, packed, unpacked } from "../../../js/src/cli/inspector/packed.ts";
import { reportPage } from "../../../js/src/cli/inspector/report-page.ts";
import { byId } from "./dom.ts";

/** A report of the document: this page's own style and script, without the worker and the samples. */
export async function reportOf(json: string): Promise<string> {
  const frame = byId("frame").textContent ?? "";
  const style = document.querySelector("head > style")?.textContent ?? "";
  const script = document.querySelector("body > script:not([type])")?.textContent ?? "";
  const text = JSON.stringify(packed(JSON.parse(json)));
  const bytes = await through(new Blob([text]), new CompressionStream("gzip")).arrayBuffer();
  return reportPage(JSON.parse(frame), { style, script, data: base64(new Uint8Array(bytes)) });
}

/** The document in a report. */
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
