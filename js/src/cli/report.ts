import { readFileSync } from "node:fs";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import type { InspectorDocument } from "./inspector/document.ts";
import { packed } from "./inspector/packed.ts";
import { type ReportParts, reportPage } from "./inspector/report-page.ts";

/** A page that shows a document by itself: the inspector's, which lies compressed beside the program. */
export function reportOf(document: InspectorDocument): string {
  const brotli = readFileSync(new URL("./cli/report.json.br", import.meta.url));
  const { frame, ...parts } = JSON.parse(brotliDecompressSync(brotli).toString("utf8")) as ReportParts & {
    frame: string;
  };
  return reportPage(frame, {
    ...parts,
    data: gzipSync(JSON.stringify(packed(document)), { level: 9 }).toString("base64"),
  });
}
