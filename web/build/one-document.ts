import { builtinEnvironments, type Environment, type EnvironmentReturn } from "vitest/environments";

const key = Symbol.for("the document of this process");
const made = globalThis as { [key]?: Promise<EnvironmentReturn> };

/** One document for all test files of a process, because the modules that they share keep what belongs to it. */
const environment: Environment = {
  name: "one-document",
  transformMode: "web",
  async setup(global, options) {
    await (made[key] ??= Promise.resolve(builtinEnvironments.jsdom.setup(global, options)));
    return { teardown: () => {} };
  },
};

export default environment;
