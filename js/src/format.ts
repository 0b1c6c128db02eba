/**
 * How a chat's messages are read and written: the only thing that knows their shape.
 *
 * @module
 */

/** Who speaks, in the engine's words. */
export type Role = "system" | "user" | "assistant" | "tool";

/** What a piece of media is. */
export type MediaKind = "image" | "pdf" | "audio" | "video" | "file";

/**
 * The shape of messages that can be read only: enough for a meter, not for a compactor.
 *
 * @typeParam Base - what every message of this shape has in common.
 */
export interface ReadableFormat<Base> {
  /** A short name, for reports and errors. */
  readonly name: string;
  /** See {@link Format.read}. */
  read(message: Base, to: Reader): void;
  /** The message's own id, where the shape has one. */
  id?(message: Base): string | undefined;
}

/**
 * The shape of one kind of message: a plain object, so that a host can spread one and change a member.
 *
 * @typeParam Base - what every message of this shape has in common.
 */
export interface Format<Base> extends ReadableFormat<Base> {
  /**
   * Whether two messages of the same role may follow each other. Default `"free"`. With `"strict"`, messages of users that
   * a compaction has brought together (a summary and the request after it) become one, made by {@link Format.merge}.
   */
  readonly alternation?: "free" | "strict" | undefined;
  /**
   * Says to `to` what the message holds, in order, its role first.
   *
   * Called often and expected to be cheap: hand over the message's own strings and objects rather than
   * copies, because they are compared with `===` to notice a change. On a message whose role or content it does not
   * know it may throw, or say no role: such a message is counted whole and never touched.
   */
  read(message: Base, to: Reader): void;
  /**
   * The message that carries a summary.
   *
   * @param text - the whole text to send.
   * @param info - `id` of the compaction, and `covers`: how many messages from the start it stands for.
   */
  summary(text: string, info: { readonly id: string; readonly covers: number }): Base;
  /**
   * A copy of `message` in which the part that `read` numbered `part` is shortened to `text`; everything else stays.
   *
   * Text and results have `text` from then on, media become a text that says it. Of a call `text` is its new input as
   * JSON: the same members, with shorter strings in them.
   */
  replace(message: Base, part: number, text: string): Base;
  /**
   * Whose message must come first, after the instructions. Default `"any"`. With `"user"`, a message that says so is put
   * before an assistant's that would be the first (see the option `repair`).
   */
  readonly opening?: "any" | "user" | undefined;
  /**
   * Whether the provider may hold what comes before the first message (`previous_response_id`): then results at the front
   * are left as they are, although their calls are not there. Default false.
   */
  readonly continues?: boolean | undefined;
  /** Whether the provider takes messages without content: then they are left as they are. Default false. */
  readonly takesEmpty?: boolean | undefined;
  /**
   * A copy of `message` without the parts that `read` numbered so; everything else stays. Never asked to take all parts.
   * Needed by a format that reads approvals or compactions; else faulty results and calls that share a message stay.
   */
  without?(message: Base, parts: readonly number[]): Base;
  /** The message that answers the call `id` of the tool `name`; for the option `repair`. Without it such calls stay as they are. */
  result?(id: string, name: string, text: string): Base;
  /** A new message that says what `first` says and then what `second` says, both of role user. Needed for `"strict"`. */
  merge?(first: Base, second: Base): Base;
}

/** What {@link Format.read} talks to. */
export interface Reader {
  /** Who speaks. A message whose role is never said is counted whole and never touched. */
  role(role: Role): void;
  /** Text that may be shortened by {@link Format.replace} under the number `part`. */
  text(part: number, text: string): void;
  /** What the model thought; `signed` if a provider checks that it comes back unchanged. */
  reasoning(text: string, signed: boolean): void;
  /**
   * A tool call. `input` is the value itself; if the wire holds JSON text, its parsed value.
   *
   * @param part - the number under which {@link Format.replace} can give it a shorter input. Without one it stays whole.
   */
  call(id: string, name: string, input: unknown, part?: number): void;
  /** The outcome of the call `id`; may be shortened or cleared by {@link Format.replace} under the number `part`. */
  result(part: number, id: string, output: unknown, failed: boolean): void;
  /**
   * An image, a document, sound, video.
   *
   * @param data - base64 text, a `data:` URL, a URL (text or `URL`), bytes (`Uint8Array`, `ArrayBuffer`), or an object
   * holding one of these as `data`, `url`, `file_data`, or an id as `file_id`, `id` or `reference`. Such an object may
   * also say what is known of it: `width` and `height` in pixels, `pages`, or `seconds`. Otherwise that is read from the
   * data itself: the header of a PNG, JPEG, WebP, GIF or WAV, and the pages of a PDF that are not compressed.
   * @param part - the number under which {@link Format.replace} can put a text in its place. Media inside a result have
   * the number of that result: they leave together with it. Without a number they stay.
   * @param name - a file's name, for the text that describes what was taken out.
   */
  media(kind: MediaKind, data: unknown, mediaType: string | undefined, part?: number, name?: string): void;
  /** A question to a person whether a tool may run, by the id of the question; `value` is the whole part. */
  approvalRequest(part: number, id: string, value: unknown): void;
  /** The answer to it. Without its request in the history it is never sent ({@link Format.without}). */
  approvalResponse(part: number, id: string, value: unknown): void;
  /**
   * A provider's own summary of everything before it.
   *
   * @param text - the summary, if it can be read; else undefined, and `value` is what stands for it.
   */
  compaction(part: number, text: string | undefined, value: unknown): void;
  /** Anything else: counted, never read, never changed. */
  opaque(value: unknown): void;
}
