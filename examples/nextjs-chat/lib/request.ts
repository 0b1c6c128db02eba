// What a browser sends is parsed before anything is stored: a message that is stored is sent to the model with every
// later request, so one that is wrong would break its chat for good.
import { z } from "zod";

/** Bytes of a request, and characters of a text. Larger ones are refused, and not read to their end. */
const MOST_BYTES = 64 * 1_024;
const MOST_CHARACTERS = 16_000;

/** The name of a chat or of a message. */
export const Id = z.string().regex(/^[\w-]{1,64}$/, "Expected 1 to 64 letters, digits, hyphens and underscores.");

/**
 * A new message of the person. Only that: what the model said and what tools returned is already on the server, and a
 * system message is the server's own.
 */
const Body = z.strictObject({
  id: Id,
  message: z.object({
    id: Id,
    role: z.literal("user"),
    parts: z
      .array(
        z.object({
          type: z.literal("text"),
          text: z.string().max(MOST_CHARACTERS).regex(/\S/, "Expected a text that says something."),
        }),
      )
      .min(1)
      .max(8),
  }),
});
export type Body = z.infer<typeof Body>;

/** What a request asks for, or the response that refuses it. */
export async function parse(request: Request): Promise<Body | Response> {
  const text = await read(request);
  if (text === null) return refused(413, `Expected at most ${MOST_BYTES} bytes.`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return refused(400, "Expected JSON.");
  }
  const { success, data, error } = Body.safeParse(json);
  return success ? data : refused(400, z.prettifyError(error));
}

export const refused = (status: number, error: string): Response => Response.json({ error }, { status });

/** The body as text; null if it is too long. Its length is counted, not believed. */
async function read(request: Request): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
