import { paths } from "../.vitepress/internals.mjs";

export default { watch: ["../design.md"], paths };
