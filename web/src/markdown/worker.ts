import highlighter from "highlight.js/lib/common";
import { escapeHtml } from "./escape";
import { type Limits, MarkdownParser } from "./parse";

/** A text to parse. */
export interface Request {
  text: string;
  limits: Limits;
}

const parser = new MarkdownParser((code, language, maxLength) => {
  if (code.length > maxLength || !highlighter.getLanguage(language)) return escapeHtml(code);
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value;
});

addEventListener("message", ({ data }: MessageEvent<Request>) => {
  postMessage(parser.parse(data.text, data.limits));
});
postMessage("ready");
