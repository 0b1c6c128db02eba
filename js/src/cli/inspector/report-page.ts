/** What a report is made of: the page of the inspector, in which places are left for its parts. */
export interface ReportParts {
  readonly style: string;
  readonly script: string;
  readonly json: string;
}

/**
 * A self-contained page that shows a document. Whatever is in the document stays data: no `<` of it reaches the parser of
 * HTML, and the page's policy runs its own script alone.
 */
export function reportPage(frame: string, { style, script, json }: ReportParts): string {
  const data = json.replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  const parts: Readonly<Record<string, string>> = {
    STYLE: style,
    SCRIPT: script,
    BLOCKS: `<script type="application/json" id="document">${data}</script>`,
  };
  return frame.replace(/%(STYLE|SCRIPT|BLOCKS)%/g, (_, name: string) => parts[name] ?? "");
}
