// For each rule of each provider a request that is accepted and one, made of it, that is refused.
import { anthropic } from "./cases/anthropic.mjs";
import { bedrock } from "./cases/bedrock.mjs";
import { deepseek, kimi, local, mistral, openai, openrouter } from "./cases/chat.mjs";
import { gemini } from "./cases/gemini.mjs";
import { openaiResponses } from "./cases/responses.mjs";

export { held } from "./cases/held.mjs";

/**
 * By provider. `illegal(chat)`: the request that is refused for `rule`, in words that match; `legal(chat)`: one much like it
 * that is not. `prepare(chat)`: what happens to the chat first. `open: false`: it ends before the last results.
 */
export const cases = {
  anthropic,
  bedrock,
  deepseek,
  gemini,
  kimi,
  local,
  mistral,
  openai,
  "openai-responses": openaiResponses,
  openrouter,
};
