import { detailOf, overviewOf, pageOf, placeOf, rememberedOf } from "../../../js/src/cli/inspector/book.ts";
import type { InspectorDocument, Opened, Source, Update } from "./protocol.ts";

/** The worker, which reads and plays. */
export interface WorkerSource extends Source {
  open(name: string, bytes: Uint8Array): Promise<Opened>;
  pick(conversation: number): Promise<Opened>;
}

/** Starts the worker from its source, so that the page works from a file as well. */
export function workerSource(code: string): WorkerSource {
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const worker = new Worker(address);
  const waiting = new Map<number, { done: (value: never) => void; fail: (error: Error) => void }>();
  let update: Update = () => {};
  let last = 0;
  worker.onmessage = ({ data }) => {
    if (data.event === "update") return update(data.variant, data.overview, data.done);
    const one = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error !== undefined) one?.fail(new Error(data.error));
    else if (!data.stopped) one?.done(data.value as never);
  };
  worker.onerror = ({ message }) => {
    for (const { fail } of waiting.values()) fail(new Error(`The worker failed: ${message}`));
    waiting.clear();
  };
  const ask = <R>(call: string, ...given: unknown[]): Promise<R> =>
    new Promise((done, fail) => {
      waiting.set(++last, { done, fail });
      worker.postMessage({ id: last, call, given });
    });
  return {
    open: (name, bytes) => ask("open", name, bytes),
    pick: (conversation) => ask("pick", conversation),
    plan(variants, prices, onUpdate) {
      update = onUpdate;
      ask("plan", variants, prices).catch(console.error);
    },
    page: (...given) => ask("page", ...given),
    detail: (...given) => ask("detail", ...given),
    place: (...given) => ask("place", ...given),
    remembered: (...given) => ask("remembered", ...given),
    exported: (...given) => ask("exported", ...given),
  };
}

/** What lies in a report: it was played when the report was written. */
export function reportSource(document: InspectorDocument): Source {
  return {
    plan(_, __, update) {
      for (const [at, trace] of document.variants.entries()) update(at, overviewOf(trace), null);
    },
    page: async (...given) => pageOf(document, ...given),
    detail: async (...given) => detailOf(document, ...given),
    place: async (...given) => placeOf(document, ...given),
    remembered: async (...given) => rememberedOf(document, ...given),
    exported: async (prices) => JSON.stringify({ ...document, prices }),
  };
}
