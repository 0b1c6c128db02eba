/**
 * Messages that precis made, as objects of the classes that the chat's own messages have: hooks further in look for these.
 */
import type { LangChainMessage } from "./format.ts";

type Class = new (fields: object) => LangChainMessage;

/** What was made of a plain message: the same object each time, so that equal requests are equal. */
const dressed = new WeakMap<object, LangChainMessage>();

/** `own`: the chat's messages, whose classes are used. */
export function withClasses(view: readonly LangChainMessage[], own: readonly LangChainMessage[]): LangChainMessage[] {
  return view.map((message) => {
    if (!isPlain(message)) return message;
    const known = dressed.get(message);
    if (known) return known;
    const Class = own.find((one) => one.type === message.type && !isPlain(one))?.constructor as Class | undefined;
    if (!Class) return message;
    const { type: _, role: __, ...fields } = message;
    const made = new Class(fields);
    dressed.set(message, made);
    return made;
  });
}

const isPlain = (message: object): boolean => Object.getPrototypeOf(message) === Object.prototype;
