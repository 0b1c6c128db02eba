// The site of docs/, built by `npm run docs`. Every page is also read on GitHub, so a page knows nothing of the site: what
// differs (links that leave docs/, anchors, the pages made of design.md) is bridged here.
import { existsSync } from "node:fs";
import { defineConfig } from "vitepress";
import { at } from "../../js/scripts/common.mjs";
import { slug } from "../../js/scripts/links.mjs";
import { bridgeLinks, repository } from "./links.mjs";
import { sidebar } from "./sidebar.mjs";

const hasReference = existsSync(at("docs/api/index.md"));

export default defineConfig({
  title: "precis",
  description: "Keeps long chats and agents inside the model's context window, without losing what they need.",
  lang: "en",
  base: process.env.PRECIS_DOCS_BASE ?? "/",
  // design.md is the file that the repository's readers and tests name; the site shows it in parts, below internals/.
  srcExclude: ["design.md"],
  transformPageData: withoutSource,
  markdown: {
    anchor: { slugify: slug },
    config: bridgeLinks,
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  },
  themeConfig: {
    nav: [
      { text: "Guide", link: "/start" },
      { text: "Recipes", link: "/recipes" },
      ...(hasReference ? [{ text: "API", link: "/api/" }] : []),
      { text: "Internals", link: "/internals/overview" },
    ],
    sidebar: sidebar(hasReference),
    outline: [2, 3],
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: repository }],
    editLink: { pattern: `${repository}/blob/main/docs/:path`, text: "This page on GitHub" },
    footer: { message: "MIT or Apache-2.0, at your option." },
  },
});

/** No file of the repository is this page. */
function withoutSource(page) {
  if (/^(api|internals)\//.test(page.relativePath)) page.frontmatter.editLink = false;
}
