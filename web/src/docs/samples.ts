import { curl } from "./samples/curl";
import { go } from "./samples/go";
import { javascript } from "./samples/javascript";
import { python } from "./samples/python";
import type { Request } from "./samples/request";
import { typescript } from "./samples/typescript";

/** The languages of the samples, in the order of their tabs. */
export const languageNames = {
  bash: "curl",
  javascript: "JavaScript",
  typescript: "TypeScript",
  python: "Python",
  go: "Go",
} as const;
export type SampleLanguage = keyof typeof languageNames;

/** Returns the code that makes a request, by language, with the token in a variable. */
export function samples(request: Request, origin: string): Partial<Record<SampleLanguage, string>> {
  return {
    bash: curl(request, origin),
    javascript: javascript(request, origin),
    typescript: typescript(request, origin),
    python: python(request, origin),
    go: go(request, origin),
  };
}
