/**
 * How a chat's messages are read and written. Nothing else knows their shape.
 *
 * @module
 */

/** The role of a message, as the engine names it. */
export type Role = "system" | "user" | "assistant" | "tool";

/** The kind of a medium. */
export type MediaKind = "image" | "pdf" | "audio" | "video" | "file";

/**
 * A message shape that can only be read: enough for a meter, not for a compactor.
 *
 * @typeParam Base - what every message of this shape has in common.
 */
export interface ReadableFormat<Base> {
  /** A short name for reports and errors. */
  readonly name: string;
  /** See {@link Format.read}. */
  read(message: Base, to: Reader): void;
  /** Returns the message's own id, if it has one. */
  id?(message: Base): string | undefined;
}

/**
 * A message shape that can be read and written. It is a plain object: spread one to change a member.
 *
 * @typeParam Base - what every message of this shape has in common.
 * @typeParam Made - the messages that it makes.
 */
export interface Format<Base, Made = Base> extends ReadableFormat<Base> {
  /**
   * Whether two messages of the same role may follow each other. Default `"free"`. With `"strict"`, messages of users that
   * a compaction has brought together (a summary and the request after it) become one, made by {@link Format.merge}.
   */
  readonly alternation?: "free" | "strict" | undefined;
  /**
   * Passes the role of the message to `to`, and then its parts in order.
   *
   * It is called often and should be cheap. Pass the message's own strings and objects rather than copies, because they
   * are compared with `===` to notice a change. It may throw, or pass no role, for a message that it does not understand:
   * such a message is counted as a whole and never changed.
   */
  read(message: Base, to: Reader): void;
  /**
   * Returns a new message that carries a summary.
   *
   * @param text - the whole text of the message.
   * @param info - the compaction's `id`, and `covers`, the number of messages from the start that the summary replaces.
   */
  summary(text: string, info: { readonly id: string; readonly covers: number }): Made;
  /**
   * Returns a new message that carries a provider's own summary as it came, or undefined for one of another provider. It stands
   * before the summary message. Without it, such a summary is sent as text, or what code keeps alone.
   */
  block?(block: { readonly content?: string | undefined; readonly [member: string]: unknown }): Made | undefined;
  /**
   * Returns a copy of `message` in which `text` replaces the part that `read` numbered `part`. Everything else stays.
   *
   * A text or result gets `text`; a medium becomes a text part that says `text`. For a call, `text` is its new input as
   * JSON: the same members with shorter strings.
   */
  replace(message: Base, part: number, text: string): Made;
  /**
   * The role that the provider requires of the first message after the instructions. Default `"any"`. With `"user"`, a
   * short message is put before an assistant message that would be the first (see the option `repair`).
   */
  readonly opening?: "any" | "user" | undefined;
  /**
   * Whether the provider may already hold what comes before the first message (`previous_response_id`). If so, results at
   * the front are left as they are, although their calls are missing. Default false.
   */
  readonly continues?: boolean | undefined;
  /**
   * Whether signed reasoning may be sent behind anything (`"free"`), where the model's id does not tell. Default `"bound"`:
   * it is left out once anything before it has changed.
   */
  readonly thinking?: "bound" | "free" | undefined;
  /** Whether the provider accepts messages without content. If so, they are left as they are. Default false. */
  readonly takesEmpty?: boolean | undefined;
  /**
   * Returns a copy of `message` without the parts that `read` numbered so. Everything else stays; at least one part does.
   * A format that reads approvals or compactions needs it. Without it, faulty results and calls stay where they share a
   * message with sound parts.
   */
  without?(message: Base, parts: readonly number[]): Made;
  /**
   * Returns a new message with the result of the call `id` of the tool `name`, for the option `repair`. Without it, or
   * where it returns undefined, calls without a result stay as they are.
   *
   * @param id - the call's id; empty if it has none.
   * @param message - the message that holds the call.
   */
  result?(id: string, name: string, text: string, message?: Base): Made | undefined;
  /** Returns a new message with the content of `first` and then of `second`, both of role user. Needed for `"strict"`. */
  merge?(first: Base, second: Base): Made;
}

/** Receives what {@link Format.read} finds in a message. */
export interface Reader {
  /** The role. A message without one is counted as a whole and never changed. */
  role(role: Role): void;
  /**
   * The name of whoever wrote the message, where the chat has several people or agents. What two speakers say is never
   * joined, and digests and the transcripts for a summarizer name them.
   */
  speaker(name: string): void;
  /** A text, which {@link Format.replace} may shorten by its number `part`. */
  text(part: number, text: string): void;
  /**
   * The model's reasoning; `signed` if the provider checks that it comes back unchanged.
   *
   * @param part - the number by which {@link Format.without} can take it out, because it is old (`reasoning: "drop-old"`) or
   * signed and no longer valid. Without one it stays.
   */
  reasoning(text: string, signed: boolean, part?: number): void;
  /**
   * A tool call. `input` is its arguments as a value; where the message holds them as JSON text, the parsed value.
   *
   * @param id - the id as it stands in the message, also if it is empty, missing or the same as that of another call:
   * calls and results are paired by order and name where ids do not tell them apart.
   * @param part - the number by which {@link Format.replace} can shorten its input. Without one the call stays whole.
   * @param executed - whether the provider executes the call. Its result comes in a message of the assistant, perhaps
   * several rounds later, and none is ever put in its place.
   */
  call(id: string | null | undefined, name: string, input: unknown, part?: number, executed?: boolean): void;
  /**
   * The result of the call `id`, which {@link Format.replace} may shorten or clear by its number `part`.
   *
   * @param id - the id as it stands in the message, also if it is empty or missing.
   * @param name - the tool's name, where the message has it.
   */
  result(part: number, id: string | null | undefined, output: unknown, failed: boolean, name?: string): void;
  /**
   * An image, a PDF, audio, video, or another file.
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
  /**
   * A document that is text. It is shortened as a text is, through {@link Format.replace}, and nobody typed it: it states
   * no request.
   *
   * @param name - its title or file name.
   */
  document(part: number, text: string, name?: string): void;
  /** A request for a person's approval of a tool call, by the id of the request. `value` is the whole part. */
  approvalRequest(part: number, id: string, value: unknown): void;
  /** The response to such a request. It is never sent if the request is not in the history (see {@link Format.without}). */
  approvalResponse(part: number, id: string, value: unknown): void;
  /**
   * A provider's own summary of everything before it.
   *
   * @param text - the summary, or undefined if only the provider can read it; then `value` is what it is counted by.
   */
  compaction(part: number, text: string | undefined, value: unknown): void;
  /** Anything else. It is counted, and never read or changed. */
  opaque(value: unknown): void;
}
