// The same for `require`.
import precis = require("precis");
import formats = require("precis/formats");
import testing = require("precis/testing");

export const compactor = precis.createCompactor({ format: formats.openaiChat, contextWindow: 8_000 });
export const faults = testing.check(formats.openaiChat, []);
export type State = precis.SessionState;
