// Chats in Redis: messages in a list, to which anybody appends, and beside it the state with compare-and-set on its
// revision. `redis` is a client of the package `ioredis`.

/** Stores a state if nobody has stored another one meanwhile. Redis runs a script as a whole, so nothing comes between. */
const COMPARE_AND_SET = `
if tonumber(redis.call("hget", KEYS[1], "revision") or "0") ~= tonumber(ARGV[1]) then return 0 end
redis.call("hset", KEYS[1], "revision", ARGV[2], "json", ARGV[3])
return 1`;

async function compareAndSet(redis, key, state, revision) {
  const stored = await redis.eval(COMPARE_AND_SET, 1, key, revision, state.revision, JSON.stringify(state));
  return stored === 1;
}

/** For `compaction({ store })` of `precis/ai-sdk`. */
export const stateStore = (redis, prefix = "precis") => ({
  async load(key) {
    const json = await redis.hget(`${prefix}:${key}`, "json");
    return json && JSON.parse(json);
  },
  save: (key, state, previous) => compareAndSet(redis, `${prefix}:${key}`, state, previous ?? 0),
});

/** What belongs to one chat has one tag in braces, so that a cluster keeps it on one node. */
const keyOf = (chat, what) => `chat:{${chat}}:${what}`;

/** A chat as a call takes it. Both are read at once: a state never belongs to messages that were not read. */
export async function load(redis, chat) {
  const read = redis.multi().lrange(keyOf(chat, "messages"), 0, -1).hget(keyOf(chat, "state"), "json");
  const [[, messages], [, state]] = await read.exec();
  return { messages: messages.map((json) => JSON.parse(json)), state: state && JSON.parse(state) };
}

export const save = (redis, chat, state, revision) => compareAndSet(redis, keyOf(chat, "state"), state, revision);

/** Adds messages to a chat, whatever else happens to it. */
export async function append(redis, chat, messages) {
  await redis.sadd("chats", chat);
  await redis.rpush(keyOf(chat, "messages"), ...messages.map((message) => JSON.stringify(message)));
}

/** The ids of all chats, some at a time. */
export async function* chats(redis) {
  let cursor = "0";
  do {
    const [next, some] = await redis.sscan("chats", cursor, "COUNT", 500);
    if (some.length > 0) yield some;
    cursor = next;
  } while (cursor !== "0");
}

/** Keeps an answer as long as the work on its chat goes on: another worker may have finished it meanwhile. */
const KEEP_ANSWER = `
if redis.call("hexists", KEYS[1], "plan") == 0 then return 0 end
return redis.call("hset", KEYS[1], ARGV[1], ARGV[2]) + 1`;

/** What a worker leaves behind that comes too late and dies is gone after that. */
const WEEK_SECONDS = 7 * 24 * 3_600;

/** The store of many-chats/ahead.mjs. Which worker has a chat is known to the queue, so nothing here asks for it. */
export function aheadStore(redis) {
  const key = (chat) => keyOf(chat, "ahead");
  return {
    load: (chat) => load(redis, chat),
    save: (chat, state, revision) => save(redis, chat, state, revision),
    async planOf(chat) {
      const plan = await redis.hget(key(chat), "plan");
      return plan && JSON.parse(plan);
    },
    async keepPlan(chat, plan) {
      await redis.multi().hset(key(chat), "plan", JSON.stringify(plan)).expire(key(chat), WEEK_SECONDS).exec();
    },
    async answersOf(chat) {
      const kept = Object.entries(await redis.hgetall(key(chat))).filter(([name]) => name.startsWith("answer:"));
      return new Map(kept.map(([name, answer]) => [name.slice("answer:".length), JSON.parse(answer)]));
    },
    async keepAnswer(chat, request, answer) {
      const kept = await redis.eval(KEEP_ANSWER, 1, key(chat), `answer:${request}`, JSON.stringify(answer));
      return kept > 0;
    },
    async finish(chat) {
      await redis.del(key(chat));
    },
  };
}
