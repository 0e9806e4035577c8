import type { Source } from "../api/types";
import type { DiagramLabels } from "./diagram-blocks";
import { hostOf } from "./link";

/** What is added to the blocks of a text. */
export interface Decoration {
  /** The labels of the buttons of code. */
  code: CodeLabels;
  sources: Source[];
  /** Files whose names become links. */
  mentions: Mention[];
  /** The labels of diagrams. */
  labels: DiagramLabels;
}

export interface CodeLabels {
  wrap: string;
  download: string;
  copy: string;
}

/** A file that a text may name. */
export interface Mention {
  name: string;
  href: string;
  /** Places of the file. The link to one is taken if the paragraph names it. */
  places: { anchor: string; href: string }[];
}

/** Adds what safe HTML can't contain: buttons of code, frames and citations. */
export function decorate(block: DocumentFragment, { code, sources, mentions }: Decoration): void {
  for (const pre of block.querySelectorAll<HTMLElement>("pre[data-language]")) frameCode(pre, code);
  if (sources.length > 0) linkCitations(block, sources);
  if (mentions.length > 0) linkMentions(block, mentions);
  for (const reference of block.querySelectorAll<HTMLElement>(".note-reference")) makeButton(reference);
  for (const table of block.querySelectorAll("table")) frameTable(table);
}

function frameCode(pre: HTMLElement, labels: CodeLabels): void {
  const frame = document.createElement("div");
  frame.className = "code-frame";
  frame.dir = "ltr";
  const bar = document.createElement("div");
  bar.className = "code-bar";
  const language = document.createElement("span");
  language.textContent = pre.dataset.language ?? "";
  bar.append(language);
  for (const action of ["wrap", "download", "copy"] as const) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset[`${action}Code`] = "";
    button.textContent = labels[action];
    bar.append(button);
  }
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
  for (const text of textsOf(block)) {
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

/** Makes the names of files links to them. */
function linkMentions(block: DocumentFragment, mentions: Mention[]): void {
  // The longest name first: one may contain another.
  const names = mentions.map(({ name }) => name).sort((a, b) => b.length - a.length);
  const pattern = new RegExp(names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|"));
  for (const text of textsOf(block)) {
    if (text.parentElement?.closest("a, pre, .math, .plain")) continue;
    const around = text.parentElement?.closest("p, li, td, th, blockquote, h1, h2, h3, h4")?.textContent ?? text.data;
    for (let rest: Text = text; ;) {
      const match = pattern.exec(rest.data);
      if (!match) break;
      const named = rest.splitText(match.index);
      rest = named.splitText(match[0].length);
      const mention = mentions.find(({ name }) => name === match[0])!;
      const place = mention.places.find(({ anchor }) => namesPlace(around, anchor));
      const link = document.createElement("a");
      link.className = "file-mention";
      link.href = (place ?? mention).href;
      named.replaceWith(link);
      link.append(named);
    }
  }
}

function textsOf(block: DocumentFragment): Text[] {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  return texts;
}

/** Reports whether a text names a place such as "page 3", and not only "page 31". */
function namesPlace(text: string, anchor: string): boolean {
  const at = text.toLowerCase().indexOf(anchor.toLowerCase());
  return at >= 0 && !/\d/.test(text[at + anchor.length] ?? "");
}
