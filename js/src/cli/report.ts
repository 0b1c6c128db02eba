import { readFileSync } from "node:fs";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import type { InspectorDocument } from "./inspector/document.ts";
import { fitted, MOST_BYTES } from "./inspector/fitted.ts";
import { packed } from "./inspector/packed.ts";
import { type ReportParts, reportPage } from "./inspector/report-page.ts";

export interface Report {
  readonly page: string;
  /** What it shows: the document, or as much of it as is meant for a page. */
  readonly document: InspectorDocument;
}

/** A page that shows a document by itself: the inspector's, which lies compressed beside the program. */
export async function reportOf(document: InspectorDocument): Promise<Report> {
  const brotli = readFileSync(new URL("./cli/report.json.br", import.meta.url));
  const { frame, ...parts } = JSON.parse(brotliDecompressSync(brotli).toString("utf8")) as ReportParts & {
    frame: string;
  };
  const pageOf = (data: string) => reportPage(frame, { ...parts, data });
  const most = MOST_BYTES - Buffer.byteLength(pageOf(""));
  const own = await fitted(document, most, (one) => dataOf(one).length);
  return { page: pageOf(dataOf(own)), document: own };
}

function dataOf(document: InspectorDocument): string {
  return gzipSync(JSON.stringify(packed(document)), { level: 9 }).toString("base64");
}
