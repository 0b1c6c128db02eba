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
    contextguard: "The preset contextguard",
    tokens: "Token counts",
    speed: "Speed",
    size: "Size",
    runtimes: "Runtimes",
    limits: "What could not be run",
    assurance: "How it is tested",
    failures: "Failures of other engines",
    mutations: "Mutations of the engine",
  },
};

export function sidebar(hasReference) {
  return [
    ...Object.entries(groups).map(([text, pages]) => ({ text, items: Object.entries(pages).flatMap(item) })),
    ...(hasReference ? [{ text: "API reference", collapsed: true, items: reference() }] : []),
    { text: "Internals", collapsed: true, items: entries },
  ];
}

function item([page, text]) {
  return existsSync(at(`docs/${page}.md`)) ? [{ text, link: `/${page}` }] : [];
}

function reference() {
  return JSON.parse(readFileSync(at("docs/api/typedoc-sidebar.json"), "utf8"));
}
