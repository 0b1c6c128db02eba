/**
 * The shapes of messages that precis knows. Each is a plain object: spread one to change a member.
 *
 * @module precis/formats
 */
export { type AiSdkMessage, aiSdk } from "./ai-sdk.ts";
export { type AiSdkUIMessage, aiSdkUI } from "./ai-sdk-ui.ts";
export { type AnthropicMessage, anthropic } from "./anthropic.ts";
export { type BedrockMessage, bedrock } from "./bedrock.ts";
export { type GeminiContent, gemini } from "./gemini.ts";
export { type MistralMessage, mistral } from "./mistral.ts";
export { type OpenAIChatMessage, openaiChat } from "./openai-chat.ts";
export { type OpenAIResponsesItem, openaiResponses } from "./openai-responses.ts";
export { strict } from "./strict.ts";
