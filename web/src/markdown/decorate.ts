import type { Source } from "../api/types";
import type { DiagramLabels } from "./diagram-blocks";
import { hostOf } from "./link";

/** What is added to the blocks of a text. */
export interface Decoration {
  /** The label of the buttons that copy code. */
  copy: string;
  sources: Source[];
  /** The labels of diagrams. */
  labels: DiagramLabels;
}

/** Adds what safe HTML can't contain: copy buttons, frames and citations. */
export function decorate(block: DocumentFragment, { copy, sources }: Decoration): void {
  for (const pre of block.querySelectorAll<HTMLElement>("pre[data-language]")) frameCode(pre, copy);
  if (sources.length > 0) linkCitations(block, sources);
  for (const reference of block.querySelectorAll<HTMLElement>(".note-reference")) makeButton(reference);
  for (const table of block.querySelectorAll("table")) frameTable(table);
}

function frameCode(pre: HTMLElement, copyLabel: string): void {
  const frame = document.createElement("div");
  frame.className = "code-frame";
  frame.dir = "ltr";
  const bar = document.createElement("div");
  bar.className = "code-bar";
  const language = document.createElement("span");
  language.textContent = pre.dataset.language ?? "";
  const copy = document.createElement("button");
  copy.type = "button";
  copy.dataset.copyCode = "";
  copy.textContent = copyLabel;
  bar.append(language, copy);
  pre.replaceWith(frame);
  frame.append(bar, pre);
}

/** Makes the number of a footnote a button, which Markdown.svelte listens to. */
function makeButton(reference: HTMLElement): void {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = reference.textContent;
  reference.replaceChildren(button);
}

function frameTable(table: HTMLTableElement): void {
  const frame = document.createElement("div");
  frame.className = "table-frame";
  frame.tabIndex = 0;
  table.replaceWith(frame);
  frame.append(table);
}

/** Replaces [1] in the text with a link to the first source, and so on. */
function linkCitations(block: DocumentFragment, sources: Source[]): void {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    if (text.parentElement?.closest("a, code, pre, .math, .plain")) continue;
    for (let rest: Text = text; ;) {
      const match = /\[(\d{1,2})\]/.exec(rest.data);
      if (!match) break;
      const cited = rest.splitText(match.index);
      rest = cited.splitText(match[0].length);
      const source = sources[Number(match[1]) - 1];
      if (source && hostOf(source.url)) cited.replaceWith(citation(match[1]!, source));
    }
  }
}

function citation(number: string, source: Source): HTMLElement {
  const link = document.createElement("a");
  link.className = "citation";
  link.href = source.url;
  link.target = "_blank";
  link.rel = "noopener noreferrer nofollow";
  link.setAttribute("aria-label", `${number}: ${source.title}`);
  link.textContent = number;
  return link;
}
