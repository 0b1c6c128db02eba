import { isEqual } from "../plain-equal.ts";

/**
 * Messages that a framework copies for every request, as the objects that they were in the request before: what was read of
 * them is found again by the objects.
 */
export class Again<M extends object> {
  private before: readonly M[] = [];

  /** The same messages; those that equal the one at their place in the last request are that one. */
  of(messages: readonly M[]): readonly M[] {
    const found = messages.map((message, at) => {
      const earlier = this.before[at];
      return earlier !== undefined && isEqual(earlier, message) ? earlier : message;
    });
    this.before = found;
    return found;
  }
}
