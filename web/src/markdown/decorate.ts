import type { Source } from "../api/types";
import { hostOf } from "./link";

type Katex = typeof import("katex").default;

let katex: Promise<Katex> | undefined;
let ready: Katex | undefined;

/** Finishes what can't be said in safe HTML: typeset mathematics, buttons, frames, citations. */
export function decorate(block: HTMLElement, { copy, sources }: { copy: string; sources: Source[] }): void {
  for (const pre of block.querySelectorAll<HTMLElement>("pre[data-language]")) frameCode(pre, copy);
  if (sources.length > 0) linkCitations(block, sources);
  for (const table of block.querySelectorAll("table")) frameTable(table);
  const formulas = block.querySelectorAll<HTMLElement>(".math");
  if (formulas.length === 0) return;
  if (ready) typeset(formulas, ready);
  else void load().then((loaded) => typeset(formulas, loaded), () => {}); // the formula stays as written
}

function frameCode(pre: HTMLElement, copyLabel: string): void {
  const frame = document.createElement("div");
  frame.className = "code-frame";
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

function frameTable(table: HTMLTableElement): void {
  const frame = document.createElement("div");
  frame.className = "table-frame";
  frame.tabIndex = 0;
  table.replaceWith(frame);
  frame.append(table);
}

/** Turns [1] in the text into a link to the first source, and so on. */
function linkCitations(block: HTMLElement, sources: Source[]): void {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    if (text.parentElement?.closest("a, code, pre, .math")) continue;
    for (let rest: Text = text; ; ) {
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
  Object.assign(link, { className: "citation", href: source.url, target: "_blank", rel: "noopener noreferrer nofollow" });
  link.title = source.title;
  link.textContent = number;
  return link;
}

// KaTeX builds the nodes itself and sets their styles one by one, which the page's
// policy allows; styles written in HTML would be refused.
function typeset(formulas: Iterable<HTMLElement>, loaded: Katex): void {
  for (const formula of formulas) {
    const tex = formula.textContent ?? "";
    loaded.render(tex, formula, {
      displayMode: formula.classList.contains("math-display"),
      throwOnError: false,
      trust: false,
      maxSize: 20,
      maxExpand: 200,
    });
  }
}

function load(): Promise<Katex> {
  katex ??= Promise.all([import("katex"), import("katex/dist/katex.min.css")]).then(([module]) => (ready = module.default));
  katex.catch(() => (katex = undefined));
  return katex;
}
