// The glue, with every call written into `globalThis.precisVectors`, a line of JSON each.

/** What the engine may ask in the middle of a call. */
const ASKED = ["read", "summary", "remade", "replace", "result", "merge"];

export function recorder(real) {
  const say = (vector) => globalThis.precisVectors.push(JSON.stringify(vector, plain));
  const said = new WeakMap();
  let memory;

  /** `split` names the arguments of a call; the host is always the last of them. */
  const recorded =
    (name, split) =>
    (...args) => {
      // Before the call: what is given may be changed by what comes of it.
      const given = JSON.stringify(split(...args), plain);
      const host = [];
      const last = args.at(-1);
      if (typeof last?.read === "function") args[args.length - 1] = listening(last, host, said);
      const answer = real.glue[name](...args);
      say({ name, given: JSON.parse(given), host, answer: answer ?? null });
      return answer;
    };
  const call = ({ system, tools, ...rest }, records, flags) => ({ call: rest, system, tools, records, flags });

  const glue = {
    ...real.glue,
    plan: recorded("plan", call),
    usage: recorded("usage", call),
    begin: recorded("begin", call),
    requests: recorded("requests", (one, records, flags, plan) => ({ ...call(one, records, flags), plan })),
    commit: recorded("commit", (one, records, flags, plan, results) => ({
      ...call(one, records, flags),
      plan,
      results: results ?? null,
    })),
    resume: recorded("resume", (one, records, standing) => ({ ...call(one, records, []), standing })),
    records: recorded("records", (estimator, ops, text, known, standing) => ({
      estimator,
      ops,
      text,
      known,
      standing,
    })),
    after_model: recorded("after_model", (options, state, usage, request) => ({
      options,
      state,
      usage,
      request: request ?? null,
    })),
    async complete(one, records, flags, plan, rounds) {
      const given = JSON.stringify({ ...call(one, records, flags), plan }, plain);
      const host = [];
      const answer = await real.glue.complete(one, records, flags, plan, listeningRounds(rounds, host, said));
      say({ name: "complete", given: JSON.parse(given), host, answer });
      return answer;
    },
    read(estimator) {
      const reading = real.glue.read(estimator);
      said.set(reading, { estimator, pushes: [] });
      return reading;
    },
    push(reading, ops, bytes) {
      const text = new Uint8Array(memory.buffer, reading.pointer, bytes).slice();
      said.get(reading)?.pushes.push({ ops: Array.from(ops), text: Array.from(text) });
      real.glue.push(reading, ops, bytes);
    },
    finish(reading) {
      const answer = real.glue.finish(reading);
      say({ name: "reading", given: said.get(reading), host: [], answer });
      return answer;
    },
  };
  const instantiate = (module, later) => {
    const instance = real.instantiate(module, later);
    memory = instance.memory;
    return instance;
  };
  return { glue, instantiate };
}

/** The host, with what it was asked and what it said. `readings`: where what is pushed to a reading is noted. */
function listening(host, said, readings) {
  const read = (indices, reading) => {
    const pushes = [];
    readings.set(reading, { pushes });
    host.read(indices, reading);
    const tape = { ops: pushes.flatMap(({ ops }) => ops), text: pushes.flatMap(({ text }) => text) };
    said.push(JSON.parse(JSON.stringify(["read", [indices], tape], plain)));
  };
  const asked = Object.fromEntries(
    ASKED.map((name) => [
      name,
      (...args) => {
        const answer = host[name](...args);
        said.push(JSON.parse(JSON.stringify([name, args, answer ?? null], plain)));
        return answer;
      },
    ]),
  );
  return { ...asked, read };
}

/** The rounds of a call, with what the host was asked in each, what the summarizer said, and what came of it. */
function listeningRounds(rounds, said, readings) {
  const note = (...what) => said.push(JSON.parse(JSON.stringify(what, plain)));
  return {
    host: () => listening(rounds.host(), said, readings),
    ask(requests) {
      const asked = rounds.ask(requests);
      const then = (resolve, reject) =>
        asked.then((answers) => {
          note("ask", requests, answers);
          resolve(answers);
        }, reject);
      return { then };
    },
    next(outcome) {
      note("next", outcome);
      rounds.next(outcome);
    },
    poll: (step) => rounds.poll(step),
  };
}

function plain(_, value) {
  return ArrayBuffer.isView(value) ? Array.from(value) : value;
}
