import type { Drawing } from "../diagram/request";
import type { Diagrams } from "./diagrams";

export interface DiagramLabels {
  diagram: string;
  source: string;
  failed: string;
}

/** A block of code that is a diagram, and the drawing that is still to be shown. */
interface DiagramBlock {
  code: HTMLElement;
  labels: DiagramLabels;
  drawn?: Drawing | null;
}

/** How far a drawing is made smaller on a narrow screen. From there on it is scrolled, so that it stays legible. */
const smallest = 0.6;

export const isDiagram = (code: HTMLElement): boolean => code.dataset.language === "mermaid";

/** Shows the diagrams of a text: a drawing over its source, or the source with a note. */
export class DiagramBlocks {
  readonly #diagrams: Pick<Diagrams, "draw" | "cancel">;
  readonly #changed: () => void;
  #blocks: DiagramBlock[] = [];
  #dark = false;

  /** changed is called when there is something to show. The owner then calls show. */
  constructor(diagrams: Pick<Diagrams, "draw" | "cancel">, changed: () => void) {
    this.#diagrams = diagrams;
    this.#changed = changed;
  }

  /** Draws the diagram whose source is a block of code. The block must not change any more. */
  add(code: HTMLElement, labels: DiagramLabels): void {
    this.#blocks = this.#blocks.filter((block) => block.code.isConnected);
    const block = { code, labels };
    this.#blocks.push(block);
    this.#draw(block);
  }

  setDark(dark: boolean): void {
    if (dark === this.#dark) return;
    this.#dark = dark;
    this.#blocks.forEach((block) => this.#draw(block));
  }

  /** Shows what was drawn. */
  show(): void {
    for (const block of this.#blocks) {
      if (block.drawn === undefined) continue;
      if (block.drawn) showDrawing(block, block.drawn);
      else showNote(block);
      block.drawn = undefined;
    }
  }

  close(): void {
    for (const block of this.#blocks) this.#diagrams.cancel(block);
    this.#blocks = [];
  }

  #draw(block: DiagramBlock): void {
    const dark = this.#dark;
    this.#diagrams.draw(block, { source: block.code.textContent ?? "", dark }, (drawing) => {
      if (dark !== this.#dark || !block.code.isConnected) return;
      block.drawn = drawing;
      this.#changed();
    });
  }
}

// An image runs no scripts and makes no requests, whatever is in it.
function showDrawing({ code, labels }: DiagramBlock, { svg, width, height }: Drawing): void {
  const frame = code.closest(".code-frame")!;
  let image = frame.querySelector<HTMLImageElement>("img");
  if (!image) {
    image = document.createElement("img");
    image.alt = labels.diagram;
    const scroller = document.createElement("div");
    scroller.className = "drawing";
    scroller.tabIndex = 0;
    scroller.append(image);
    frame.append(scroller);
    frame.querySelector(".code-bar button")!.before(sourceButton(code, scroller, labels));
    code.hidden = true;
  }
  image.width = Math.ceil(width);
  image.height = Math.ceil(height);
  image.style.minWidth = `${Math.floor(width * smallest)}px`;
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

/** Returns a button that shows the source instead of the drawing, and the drawing again. */
function sourceButton(code: HTMLElement, drawing: HTMLElement, labels: DiagramLabels): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = labels.source;
  button.addEventListener("click", () => {
    drawing.hidden = code.hidden;
    code.hidden = !code.hidden;
    button.textContent = code.hidden ? labels.source : labels.diagram;
  });
  return button;
}

function showNote({ code, labels }: DiagramBlock): void {
  const frame = code.closest(".code-frame")!;
  if (frame.querySelector("img, .drawing-note")) return;
  const note = document.createElement("p");
  note.className = "drawing-note";
  note.textContent = labels.failed;
  frame.append(note);
}
