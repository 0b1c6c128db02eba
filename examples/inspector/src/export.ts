import { MOST_BYTES } from "../../../js/src/cli/inspector/fitted.ts";
import { reportPage } from "../../../js/src/cli/inspector/report-page.ts";
import { dataOf } from "./data.ts";
import { byId } from "./dom.ts";

/**
 * A report: this page's own style and script, without the worker and the samples. `exported` gives the document as JSON, with
 * as much of its texts as a report of so many characters holds.
 */
export async function reportOf(exported: (most: number) => Promise<string>): Promise<string> {
  const frame = JSON.parse(byId("frame").textContent ?? "");
  const style = document.querySelector("head > style")?.textContent ?? "";
  const script = document.querySelector("body > script:not([type])")?.textContent ?? "";
  const pageOf = (data: string) => reportPage(frame, { style, script, data });
  const json = await exported(MOST_BYTES - new TextEncoder().encode(pageOf("")).length);
  return pageOf(await dataOf(JSON.parse(json)));
}
