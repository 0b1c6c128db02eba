/** Standard output is for results only. */
export function print(line = ""): void {
  process.stdout.write(`${line}\n`);
}

/** Progress on stderr: in place where someone watches, a line now and then in a log. An empty text clears it. */
export function progressLine(): (text: string) => void {
  const inPlace = process.stderr.isTTY;
  let shown = 0;
  let last = inPlace ? 0 : Date.now();
  return (text) => {
    if (text && Date.now() - last < (inPlace ? 50 : 10_000)) return;
    if (inPlace && (text || shown)) process.stderr.write(`\r${text.padEnd(shown)}${text ? "" : "\r"}`);
    if (!inPlace && text) process.stderr.write(`${text}\n`);
    shown = text.length;
    if (text) last = Date.now();
  };
}
