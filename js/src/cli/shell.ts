import { type ChildProcess, spawn } from "node:child_process";
import type { Summarize } from "precis";
import { clean } from "./paint.ts";

/** The most that a summarizer may print, in bytes. No summary comes near it. */
const MOST = 1_000_000;
/** What is kept of its complaints. */
const COMPLAINT = 300;
const windows = process.platform === "win32";

/**
 * A summarizer that is a command of the shell: it gets instructions and prompt on standard input and prints the summary.
 * `PRECIS_MAX_TOKENS` tells it how long that may be.
 */
export function commandSummarizer(command: string): Summarize {
  return ({ system, prompt, maxOutputTokens }, { signal }) =>
    new Promise((done, fail) => {
      // A group of its own, so that what the command started ends with it.
      const child = spawn(command, {
        shell: true,
        stdio: ["pipe", "pipe", "pipe"],
        detached: !windows,
        env: { ...process.env, PRECIS_MAX_TOKENS: String(maxOutputTokens) },
      });
      const stop = endWithUs(child);
      const failed = (reason: string) => {
        stop();
        fail(new Error(reason));
      };
      signal.addEventListener("abort", () => failed("it took too long"), { once: true });
      const chunks: Buffer[] = [];
      let bytes = 0;
      let complaint = "";
      child.stdout.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MOST) failed(`it printed more than ${MOST / 1_000} kB`);
        else chunks.push(chunk);
      });
      child.stderr.on("data", (chunk: Buffer) => {
        complaint = (complaint + chunk.toString()).slice(-COMPLAINT);
      });
      // A command need not read what it is given.
      child.stdin.on("error", () => {});
      child.on("error", (error) => failed(error.message));
      child.on("close", (code, killed) => {
        const said = complaint ? `: ${clean(complaint)}` : "";
        if (code !== 0) return failed(`it ended with ${code === null ? killed : `exit code ${code}`}${said}`);
        stop();
        done({ text: Buffer.concat(chunks).toString("utf8"), finishReason: "stop" });
      });
      child.stdin.end(`${system}\n\n${prompt}\n`);
    });
}

/** Has a command end when this program is told to; returns what ends it now, with all that it started. */
function endWithUs(child: ChildProcess): () => void {
  const stop = () => {
    for (const signal of SIGNALS) process.off(signal, stopAll);
    if (child.pid === undefined || child.exitCode !== null) return;
    try {
      if (windows) child.kill("SIGKILL");
      else process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  const stopAll = () => {
    stop();
    process.exit(130);
  };
  for (const signal of SIGNALS) process.on(signal, stopAll);
  return stop;
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
