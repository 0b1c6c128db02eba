#!/usr/bin/env node
import { commands } from "./commands/index.ts";
import { main } from "./run.ts";

main(commands, process.argv.slice(2));
