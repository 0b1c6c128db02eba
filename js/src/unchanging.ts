/**
 * Messages that nobody changes. A host may change its messages in place, so they are compared with what was read of them
 * before each call; copies that only this package holds need not be.
 */
const messages = new WeakSet<object>();

export const isUnchanging = (message: object): boolean => messages.has(message);

/** Notes that nobody changes a message, and returns it. */
export function unchanging<M extends object>(message: M): M {
  messages.add(message);
  return message;
}
