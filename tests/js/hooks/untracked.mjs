// `node --import ./tests/js/hooks/untracked.mjs --test …`: node:test follows each promise from its beginning until it is
// collected, to name the test that left an error behind. Where tests are made of promises that takes a third of their time.
// Without it such an error fails the file, and its message is shown.
import hooks from "node:async_hooks";

const { createHook } = hooks;
const none = { enable: () => none, disable: () => none };

hooks.createHook = (callbacks) => {
  if (!new Error().stack.includes("node:internal/test_runner/")) return createHook(callbacks);
  hooks.createHook = createHook;
  return none;
};
