import { existsSync, readFileSync } from "node:fs";
import { at } from "../../js/scripts/common.mjs";
import { entries } from "./internals.mjs";

/** Groups of pages, each by the name of its file in docs/. A page that is not there yet is left out. */
const groups = {
  Guide: {
    start: "Start here",
    concepts: "Concepts",
  },
  "With your stack": {
    "ai-sdk": "AI SDK",
    frameworks: "Agent frameworks",
    providers: "OpenAI, Anthropic, Gemini",
    workers: "Cloudflare Workers",
    browsers: "Browsers",
    nextjs: "Next.js",
  },
  Topics: {
    tuning: "Policies and tuning",
    summaries: "Summaries and prompts",
    recall: "Memory and recall",
    costs: "Costs and prompt caching",
    thinking: "Thinking",
    persistence: "Persistence and concurrency",
    streaming: "Streaming UI",
    security: "Security model",
    formats: "Custom formats",
    testing: "Testing your app",
    migrating: "Migrating",
    recipes: "Recipes",
    cli: "Command line",
    inspector: "Inspector",
    errors: "Errors by code",
    faq: "FAQ",
  },
  Facts: {
    compare: "Compared with others",
    tokens: "Token counts",
    speed: "Speed",
    size: "Size",
    runtimes: "Runtimes",
    limits: "What could not be run",
    guarantees: "Guarantees and the preset contextguard",
  },
};

/** By the beginning of the path. No group can be folded: the theme nests a button in a button there. */
export function sidebar(hasReference) {
  return {
    "/internals/": [{ text: "Internals", items: entries }],
    "/api/": hasReference ? [{ text: "API reference", items: reference() }] : [],
    "/": Object.entries(groups).map(([text, pages]) => ({ text, items: Object.entries(pages).flatMap(item) })),
  };
}

function item([page, text]) {
  return existsSync(at(`docs/${page}.md`)) ? [{ text, link: `/${page}` }] : [];
}

/** The core and, beside it, the modules that typedoc nests in it. */
function reference() {
  const [core] = JSON.parse(readFileSync(at("docs/api/typedoc-sidebar.json"), "utf8"));
  const { text, link, items } = core;
  return [{ text, link }, ...items.map((one) => ({ text: `${text}/${one.text}`, link: one.link }))];
}
