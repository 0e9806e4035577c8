import { framePath } from "../diagram/request";
import type { WorkerLike } from "./jobs";

/** How long the frame may take to load, in milliseconds. */
const loadLimit = 60_000;

/**
 * A hidden frame that draws diagrams. It is used like a worker, which could not draw: it has no DOM. The sandbox gives
 * it an origin of its own, so that it reaches nothing of this page and of this user.
 */
export class DrawingFrame implements WorkerLike {
  onmessage: WorkerLike["onmessage"] = null;
  onerror: WorkerLike["onerror"] = null;
  readonly #frame = document.createElement("iframe");
  readonly #timer: ReturnType<typeof setTimeout>;

  constructor() {
    this.#frame.setAttribute("sandbox", "allow-scripts");
    this.#frame.className = "drawing-frame";
    this.#frame.tabIndex = -1;
    this.#frame.ariaHidden = "true";
    this.#frame.src = framePath;
    addEventListener("message", this.#received);
    this.#timer = setTimeout(() => {
      this.onerror?.call(this as unknown as Worker, new ErrorEvent("error"));
    }, loadLimit);
    document.body.append(this.#frame);
  }

  postMessage(request: unknown): void {
    this.#frame.contentWindow?.postMessage(request, "*"); // an origin of its own has no name
  }

  terminate(): void {
    clearTimeout(this.#timer);
    removeEventListener("message", this.#received);
    this.#frame.remove();
  }

  readonly #received = (event: MessageEvent): void => {
    if (event.source !== this.#frame.contentWindow) return;
    clearTimeout(this.#timer);
    this.onmessage?.call(this as unknown as Worker, event);
  };
}
