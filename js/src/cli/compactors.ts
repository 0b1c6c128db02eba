import { createCompactor, type Format } from "precis";
import type { Given } from "./arguments.ts";

/** Refuses wrong options before a file is read. */
export function checkLimits(limits: ReturnType<Given["limits"]>): void {
  createCompactor({ format: NOTHING, ...limits });
}

const NOTHING: Format<object> = {
  name: "nothing",
  read: () => {},
  summary: () => ({}),
  replace: (message) => message,
};
