import { highlightParts } from "./highlight-parts";
import { type Limits, MarkdownParser } from "./parse";

/** A text to parse. The worker answers with a Parsed. */
export interface ParseRequest {
  text: string;
  limits: Limits;
}

/** Code to highlight. The worker answers with the HTML of each part, or null if there is nothing to highlight. */
export interface HighlightRequest {
  parts: string[];
  language: string;
  /** How many elements the HTML may have. */
  elements: number;
}

export type Request = ParseRequest | HighlightRequest;

const parser = new MarkdownParser();

addEventListener("message", ({ data }: MessageEvent<Request>) => {
  postMessage("text" in data ? parser.parse(data.text, data.limits) : highlightParts(data));
});
postMessage("ready");
