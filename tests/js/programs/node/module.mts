// The declarations as Node's own resolution finds them for `import`, checked themselves too.
import { createCompactor, type SessionState } from "precis";
import { openaiChat } from "precis/formats";
import { check } from "precis/testing";

export const compactor = createCompactor({ format: openaiChat, contextWindow: 8_000 });
export const faults = check(openaiChat, []);
export type State = SessionState;
