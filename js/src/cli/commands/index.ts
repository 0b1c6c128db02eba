import type { Command } from "../command.ts";
import { check } from "./check.ts";
import { compact } from "./compact.ts";
import { demo } from "./demo.ts";
import { inspect } from "./inspect.ts";
import { replay } from "./replay.ts";

export const commands: readonly Command[] = [demo, inspect, replay, compact, check];
