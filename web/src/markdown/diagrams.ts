import { type Drawing, type DrawRequest, maxDrawing, maxSource } from "../diagram/request";
import { DrawingFrame } from "./drawing-frame";
import { type Answer, Jobs, type WorkerLike } from "./jobs";

/** How long a drawing may take, in milliseconds. The frame may have to load the code for its kind first. */
const timeLimit = 20_000;

/** How many drawings are kept, so that a chat that is shown again does not have to draw them again. */
const maxKept = 50;

/** Draws diagrams in a frame. */
export class Diagrams {
  readonly #jobs: Jobs<DrawRequest>;
  readonly #kept = new Map<string, Drawing | null>();

  constructor(start: () => WorkerLike) {
    this.#jobs = new Jobs(start, timeLimit);
  }

  /** Draws a diagram. The answer is null if that is not possible. */
  draw(owner: object, request: DrawRequest, answer: Answer<Drawing>): void {
    const key = JSON.stringify(request);
    const kept = this.#kept.get(key);
    if (kept !== undefined || request.source.length > maxSource) {
      queueMicrotask(() => answer(kept ?? null));
      return;
    }
    this.#jobs.add(owner, request, (result: unknown) => {
      const drawing = isDrawing(result) ? result : null;
      this.#keep(key, drawing);
      answer(drawing);
    });
  }

  cancel(owner: object): void {
    this.#jobs.cancel(owner);
  }

  #keep(key: string, drawing: Drawing | null): void {
    this.#kept.set(key, drawing);
    if (this.#kept.size > maxKept) this.#kept.delete(this.#kept.keys().next().value!);
  }
}

/** Checks what a frame sent, which may have been taken over by a diagram. */
function isDrawing(value: unknown): value is Drawing {
  const { svg, width, height } = (value ?? {}) as Partial<Drawing>;
  return typeof svg === "string" && svg.length <= maxDrawing && isSize(width) && isSize(height);
}

const isSize = (value: unknown): boolean => typeof value === "number" && value > 0 && value < 100_000;

/** The frame of this page. It is loaded when it is needed first. */
export const diagrams = new Diagrams(() => new DrawingFrame());
