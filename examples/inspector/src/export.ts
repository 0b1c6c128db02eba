import { reportPage } from "../../../js/src/cli/inspector/report-page.ts";
import { byId } from "./dom.ts";

/** A report of the document: this page's own style and script, without the worker and the samples. */
export async function reportOf(json: string): Promise<string> {
  const frame = byId("frame").textContent ?? "";
  const style = document.querySelector("head > style")?.textContent ?? "";
  const script = document.querySelector("body > script:not([type])")?.textContent ?? "";
  return reportPage(JSON.parse(frame), { style, script, json });
}
