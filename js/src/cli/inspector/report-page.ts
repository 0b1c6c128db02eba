/** What a report is made of: the page of the inspector, in which places are left for its parts. */
export interface ReportParts {
  readonly style: string;
  readonly script: string;
  /** The packed document as JSON, compressed with gzip, in base64. */
  readonly data: string;
}

/** A self-contained page that shows a document. Nothing in the document reaches the parser of HTML. */
export function reportPage(frame: string, { style, script, data }: ReportParts): string {
  const parts: Readonly<Record<string, string>> = {
    STYLE: style,
    SCRIPT: script,
    BLOCKS: `<script type="application/gzip" id="document">${data}</script>`,
  };
  return frame.replace(/%(STYLE|SCRIPT|BLOCKS)%/g, (_, name: string) => parts[name] ?? "");
}
