/**
 * Providers' own compaction as a summarizer: asked when precis compacts, and never otherwise. What it returns stands first in the
 * view as it came; what code keeps stands behind it.
 *
 * @module precis/native
 */
export { type AnthropicClient, type AnthropicCompactionOptions, anthropicCompaction } from "./native/anthropic.ts";
export { type OpenAIClient, type OpenAICompactionOptions, openaiCompaction } from "./native/openai.ts";
export type { SdkModel } from "./native/sdk.ts";
