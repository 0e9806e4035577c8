import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the tests that replace modules, which no other test may get to see. */
export function replacingModules(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const paths = names.filter((name) => name.endsWith(".test.ts")).map((name) => join(folder, name));
  return paths.filter((path) => readFileSync(path, "utf8").includes("vi.mock("));
}
