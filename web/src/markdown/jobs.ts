/** How long a request may take by default, in milliseconds. */
const usualTimeLimit = 2000;

/** Called with what the worker makes of a request, or with null if that is nothing within the time limit. */
export type Answer<T> = (result: T | null) => void;

interface Job<Request> {
  owner: object;
  request: Request;
  answer: Answer<unknown>;
}

/** The part of a Worker that is used here. */
export type WorkerLike = Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">;

/**
 * Gives requests to a worker, one at a time and the newest request first. The worker says "ready" when it has started.
 * A worker that takes too long is ended, and the next request gets another one.
 */
export class Jobs<Request> {
  readonly #start: () => WorkerLike;
  readonly #timeLimit: number;
  #worker: WorkerLike | null = null;
  #ready = false;
  #waiting: Job<Request>[] = [];
  #current: Job<Request> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(start: () => WorkerLike, timeLimit = usualTimeLimit) {
    this.#start = start;
    this.#timeLimit = timeLimit;
  }

  /** Adds a request. An owner has at most one request waiting: a new one replaces it. */
  add<T>(owner: object, request: Request, answer: Answer<T>): void {
    this.cancel(owner);
    this.#waiting.push({ owner, request, answer: answer as Answer<unknown> });
    this.#next();
  }

  /** Drops the waiting request of an owner. */
  cancel(owner: object): void {
    this.#waiting = this.#waiting.filter((job) => job.owner !== owner);
  }

  #next(): void {
    if (this.#current || this.#waiting.length === 0) return;
    try {
      this.#worker ??= this.#open();
    } catch {
      this.#fail(); // the browser allows no workers
      return;
    }
    if (!this.#ready) return;
    this.#current = this.#waiting.pop()!;
    this.#timer = setTimeout(() => this.#fail(), this.#timeLimit);
    this.#worker.postMessage(this.#current.request);
  }

  #open(): WorkerLike {
    const worker = this.#start();
    this.#ready = false;
    worker.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (data === "ready") this.#ready = true;
      else this.#finish(data);
      this.#next();
    };
    worker.onerror = () => this.#fail();
    return worker;
  }

  #finish(result: unknown): void {
    clearTimeout(this.#timer);
    const job = this.#current;
    this.#current = null;
    job?.answer(result);
  }

  /** Gives up the current request. Gives up all of them if the worker could not be started. */
  #fail(): void {
    const lost = this.#ready ? [] : this.#waiting.splice(0);
    this.#worker?.terminate();
    this.#worker = null;
    this.#ready = false;
    this.#finish(null);
    // Not at once: add may be on the stack.
    queueMicrotask(() => lost.forEach((job) => job.answer(null)));
    this.#next();
  }
}
