import { type Answer, Jobs } from "./jobs";
import type { Limits, Parsed } from "./parse";
import type { HighlightRequest, Request } from "./worker";

/** Parses texts and highlights code in a worker. */
export class Background extends Jobs<Request> {
  /** Parses a text. */
  parse(owner: object, text: string, limits: Limits, answer: Answer<Parsed>): void {
    this.add(owner, { text, limits }, answer);
  }

  /** Highlights code, and answers with the HTML of its parts. */
  highlight(owner: object, request: HighlightRequest, answer: Answer<string[]>): void {
    this.add(owner, request, answer);
  }
}

/** The worker of this page. It is started when it is needed first. */
export const background = new Background(() => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" }));
