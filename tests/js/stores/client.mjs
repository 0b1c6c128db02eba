// One client in a process of its own, which may be killed: node client.mjs CLIENT WHERE prepare | write WRITER COUNT | read.
// `write` prints what is saved, `read` the state.
import { writeSync } from "node:fs";
import { storeHoldsRaces } from "../examples/queued/store-races.mjs";
import { clients } from "./clients.mjs";
import { CHAT, write } from "./writing.mjs";

const [client, where, what, writer, count] = process.argv.slice(2);
const { store, close } = await clients[client](where);
const does = {
  async prepare() {
    // Twice at once, as two processes that start.
    if (store.createTable) await Promise.all([store.createTable(), store.createTable()]);
    await storeHoldsRaces(store);
  },
  // At once: what a process that is killed has said must be true.
  write: () => write(store, writer, Number(count), (entry) => writeSync(1, `${entry}\n`)),
  read: async () => console.log(JSON.stringify(await store.load(CHAT))),
};
await does[what]();
await close();
