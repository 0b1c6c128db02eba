import { withoutSteering } from "./paint.ts";

/** Standard output is for results only. Names and texts of a transcript cannot steer the terminal that shows them. */
export function print(line = ""): void {
  process.stdout.write(`${withoutSteering(line, process.stdout)}\n`);
}

/** What is not a result, on standard error. */
export function notice(line: string): void {
  process.stderr.write(`${withoutSteering(line, process.stderr)}\n`);
}

/** Progress on stderr, in place, where someone watches; elsewhere nothing. An empty text clears it. */
export function progressLine(): (text: string) => void {
  const watched = process.stderr.isTTY;
  let shown = 0;
  let last = Date.now();
  return (text) => {
    if (!watched || (text && Date.now() - last < 50)) return;
    if (text || shown)
      process.stderr.write(`\r${withoutSteering(text, process.stderr).padEnd(shown)}${text ? "" : "\r"}`);
    shown = text.length;
    if (text) last = Date.now();
  };
}
