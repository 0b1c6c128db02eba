/**
 * The shapes of messages that precis knows. Each is a plain object: spread one to change a member.
 *
 * @module precis/formats
 */
export { aiSdk } from "./ai-sdk.ts";
export { aiSdkUI } from "./ai-sdk-ui.ts";
export { anthropic } from "./anthropic.ts";
export { bedrock } from "./bedrock.ts";
export { gemini } from "./gemini.ts";
export { mistral } from "./mistral.ts";
export { openaiChat } from "./openai-chat.ts";
export { openaiResponses } from "./openai-responses.ts";
export { strict } from "./strict.ts";
