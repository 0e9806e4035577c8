import type { Background } from "./background";
import { BlockRenderer, type Piece } from "./blocks";
import { decorate, type Decoration } from "./decorate";
import { DiagramBlocks, isDiagram } from "./diagram-blocks";
import type { Diagrams } from "./diagrams";
import { morph, morphNode } from "./morph";
import { toFragment } from "./sanitize";
import { keepSelection } from "./selection";
import { typeset, whenTypeset } from "./typeset";

/** How often a live text is rendered at most: 15 times a second, and for a fifth of the time. */
const interval = 66;
const share = 5;

/** From how many parts on a block that grows is long: the browser then lays out only those parts that are in sight. */
const longBlock = 20;

const noLabels = { wrap: "", download: "", copy: "" };

/** A piece of the text on the page: a block, or the element of a part within the block before it. */
interface Shown extends Piece {
  element: HTMLElement;
}

interface Hooks {
  /** Called before the page changes although the text did not. The owner then calls update. */
  late: () => void;
  /** Called with whether some of the text is shown plain because it is too long or too complex. */
  shown: (unformatted: boolean) => void;
  /** Called when the text is on the page with its formulas. */
  ready: () => void;
}

/** Shows a text as a list of blocks. A text that grows changes nothing but its last block. */
export class MarkdownView {
  readonly #root: HTMLElement;
  readonly #background: Background;
  readonly #hooks: Hooks;
  readonly #renderer: BlockRenderer;
  readonly #diagrams: DiagramBlocks;
  #text = "";
  #wraps = false;
  #live = false;
  #decoration: Decoration = {
    code: noLabels,
    sources: [],
    mentions: [],
    labels: { diagram: "", source: "", failed: "" },
  };
  #shown: Shown[] = [];
  /** Elements with code that is not highlighted yet. */
  #code = new Set<HTMLElement>();
  #asked = new Set<HTMLElement>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #nextRender = 0;

  constructor(root: HTMLElement, background: Background, diagrams: Diagrams, hooks: Hooks) {
    this.#root = root;
    this.#background = background;
    this.#hooks = hooks;
    this.#renderer = new BlockRenderer(background, hooks.late);
    this.#diagrams = new DiagramBlocks(diagrams, hooks.late);
  }

  /** Shows a text. A live text, which will grow, is shown at intervals. */
  update(text: string, live: boolean, decoration: Decoration): void {
    if (JSON.stringify(decoration) !== JSON.stringify(this.#decoration)) this.#remove(0);
    this.#text = text;
    this.#live = live;
    this.#decoration = decoration;
    const wait = live ? this.#nextRender - performance.now() : 0;
    if (wait <= 0) this.#render();
    else this.#timer ??= setTimeout(() => this.#render(), wait);
  }

  /** Draws the diagrams for a dark page, or for a light one. */
  setDark(dark: boolean): void {
    this.#diagrams.setDark(dark);
  }

  /** Breaks long lines of code, or lets them scroll. */
  setWraps(wraps: boolean): void {
    this.#wraps = wraps;
    this.#root.classList.toggle("wraps", wraps);
    this.#markWraps(this.#root);
  }

  #markWraps(element: HTMLElement): void {
    for (const button of element.querySelectorAll("[data-wrap-code]")) {
      button.setAttribute("aria-pressed", String(this.#wraps));
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#diagrams.close();
    this.#renderer.close();
    for (const code of this.#asked) this.#background.cancel(code);
  }

  #render(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const start = performance.now();
    this.#show(this.#renderer.render(this.#text, this.#live));
    this.#highlight();
    this.#diagrams.show();
    this.#hooks.shown(this.#renderer.unformatted);
    if (!this.#renderer.waits) void whenTypeset().then(this.#hooks.ready);
    const end = performance.now();
    this.#nextRender = end + Math.max(interval, share * (end - start));
  }

  #show(pieces: Piece[]): void {
    let same = 0;
    while (same < pieces.length && isSame(this.#shown[same], pieces[same]!)) same++;
    this.#remove(same + 1);
    const old = this.#shown[same];
    const changed = pieces[same];
    if (old && changed && !old.continues === !changed.continues) this.#change(old, changed);
    else this.#remove(same);
    for (const piece of pieces.slice(this.#shown.length)) this.#append(piece);
  }

  #append(piece: Piece): void {
    const fragment = this.#fragment(piece);
    const part = piece.continues ? partOf(fragment) : null;
    const element = part ?? document.createElement("div");
    if (part) this.#continue(part);
    else {
      element.className = "markdown-block";
      element.dir = "auto";
      element.append(fragment);
      this.#root.append(element);
    }
    this.#shown.push({ ...piece, element });
    this.#finish(element);
  }

  /** Adds a part to the last block. */
  #continue(part: HTMLElement): void {
    const slot = slotOf(this.#lastBlock!)!;
    slot.append(part);
    // The parts of a text that does not grow were never in sight. Their heights would be guessed, and the page would
    // move while one scrolls up.
    if (this.#live && slot.childElementCount >= longBlock) slot.classList.add("long");
  }

  #change(shown: Shown, piece: Piece): void {
    const fragment = this.#fragment(piece);
    if (!piece.continues) morph(shown.element, fragment);
    else {
      const part = partOf(fragment)!;
      if (!morphNode(shown.element, part)) shown.element.replaceWith(part);
      if (!shown.element.isConnected) shown.element = part;
    }
    shown.html = piece.html;
    this.#finish(shown.element);
  }

  #fragment(piece: Piece): DocumentFragment {
    const fragment = toFragment(piece.html);
    decorate(fragment, this.#decoration);
    return fragment;
  }

  #finish(element: HTMLElement): void {
    this.#markWraps(element);
    typeset(element.querySelectorAll<HTMLElement>(".math"));
    if (element.querySelector("pre[data-language]")) this.#code.add(element);
  }

  /** Removes all pieces from an index on. */
  #remove(from: number): void {
    for (const { element } of this.#shown.splice(from)) {
      element.remove();
      this.#code.delete(element);
    }
  }

  get #lastBlock(): HTMLElement | undefined {
    return this.#shown.findLast((shown) => !shown.continues)?.element;
  }

  /** Highlights the code that is complete. */
  #highlight(): void {
    const open = this.#live ? [this.#lastBlock, this.#shown.at(-1)?.element] : [];
    for (const element of this.#code) {
      if (open.includes(element)) continue;
      this.#code.delete(element);
      for (const code of element.querySelectorAll<HTMLElement>("pre[data-language]")) this.#highlightOne(code);
    }
  }

  #highlightOne(code: HTMLElement): void {
    if (isDiagram(code)) {
      this.#diagrams.add(code, this.#decoration.labels);
      return;
    }
    const lines = [...code.querySelectorAll<HTMLElement>(".lines")];
    const parts = lines.map((line) => line.textContent ?? "");
    const request = { parts, language: code.dataset.language ?? "", elements: this.#renderer.elements };
    this.#asked.add(code);
    this.#background.highlight(code, request, (html) => {
      this.#asked.delete(code);
      if (html) applyHighlight(lines, html);
    });
  }
}

function isSame(shown: Shown | undefined, piece: Piece): boolean {
  return shown !== undefined && shown.html === piece.html && !shown.continues === !piece.continues;
}

/** Replaces lines of code with highlighted ones, a part at a time so that the page can draw between them. */
function applyHighlight(lines: HTMLElement[], html: string[]): void {
  const [first, ...rest] = lines;
  if (!first?.isConnected || html[0] === undefined) return;
  keepSelection(first, () => first.replaceChildren(toFragment(html[0]!)));
  if (rest.length > 0) setTimeout(() => applyHighlight(rest, html.slice(1)));
}

/** Returns the element that the parts of a block are in. */
function slotOf(block: ParentNode): Element | null {
  const first = block.firstElementChild;
  if (first instanceof HTMLUListElement || first instanceof HTMLOListElement) return first;
  return block.querySelector("pre > code, tbody");
}

function partOf(fragment: DocumentFragment): HTMLElement | null {
  return slotOf(fragment)?.lastElementChild as HTMLElement | null;
}
