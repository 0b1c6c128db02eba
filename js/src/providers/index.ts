/**
 * The providers and what they refuse. The command line, the tests of the package and its docs all read it here.
 *
 * @module
 */
import { anthropic } from "./anthropic.ts";
import { bedrock } from "./bedrock.ts";
import { deepseek } from "./deepseek.ts";
import { gemini } from "./gemini.ts";
import { kimi } from "./kimi.ts";
import { local } from "./local.ts";
import { mistral } from "./mistral.ts";
import { openai } from "./openai.ts";
import { openaiResponses } from "./openai-responses.ts";
import { openrouter } from "./openrouter.ts";
import type { Provider } from "./rule.ts";

export {
  afterBlock,
  CONTROLS,
  itemsOf,
  judgeThinking,
  modeOf,
  startOf,
  trailOf,
} from "./anthropic-binding.ts";
export { COMPACT } from "./anthropic-compaction.ts";
export { claudeModel, familyOf } from "./anthropic-models.ts";
export { asAnthropic } from "./bedrock.ts";
export { DUMMIES } from "./gemini.ts";
export { type Chat, grouped, isNative, type Request, requestOf } from "./request.ts";
export { type Asked, type Finding, findings, type Memory, type Notes, type Provider, type Rule } from "./rule.ts";

export { type Spoken, spokenBy } from "./spoken.ts";
export { toConverse, wires } from "./wires.ts";

export const providers: readonly Provider[] = [
  openai,
  openaiResponses,
  anthropic,
  gemini,
  deepseek,
  kimi,
  mistral,
  bedrock,
  openrouter,
  local,
];
