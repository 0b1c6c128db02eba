/**
 * The chats that go through one handle: that of the run, and those of agents that its agents call as tools, whose requests the
 * same models answer.
 */
import { Again } from "../adapter/again.ts";
import { Chat, holding, type Shared } from "../adapter/chat.ts";
import type { AgentItem } from "./format.ts";

interface Lane {
  readonly chat: Chat<AgentItem>;
  readonly again: Again<AgentItem>;
  /** What people have said in it. */
  said: ReadonlySet<string>;
}

/** Agents that are called as tools and whose chats are remembered. */
const MOST = 64;

export class Lanes {
  private readonly lanes: Lane[];

  constructor(
    private readonly shared: Shared<AgentItem>,
    readonly main: Chat<AgentItem>,
  ) {
    this.lanes = [lane(main)];
  }

  /** The chat that shares what a person has said with a request; the first request is of the run itself. */
  of(messages: readonly AgentItem[]): { readonly chat: Chat<AgentItem>; readonly messages: readonly AgentItem[] } {
    const said = new Set(messages.filter(({ role }) => role === "user").map((item) => JSON.stringify(item.content)));
    const isIts = (lane: Lane) => lane.said.size === 0 || [...said].some((text) => lane.said.has(text));
    let found = this.lanes.find(isIts);
    if (!found) {
      found = lane(new Chat(this.shared, holding()));
      this.lanes.push(found);
      if (this.lanes.length > MOST) this.lanes.splice(1, 1);
    }
    found.said = said;
    return { chat: found.chat, messages: found.again.of(messages) };
  }
}

const lane = (chat: Chat<AgentItem>): Lane => ({ chat, again: new Again(), said: new Set() });
