/**
 * The shapes of messages that precis knows. Each is a plain object: spread one to change a member.
 *
 * @module
 */
export { aiSdk } from "./ai-sdk.ts";
export { anthropic } from "./anthropic.ts";
export { openaiChat } from "./openai-chat.ts";
export { strict } from "./strict.ts";
