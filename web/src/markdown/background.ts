import type { Limits, Parsed } from "./parse";
import type { HighlightRequest, Request } from "./worker";

/** How long a request may take, in milliseconds. */
const timeLimit = 2000;

/** Called with what the worker makes of a request, or with null if that is nothing within the time limit. */
export type Answer<T> = (result: T | null) => void;

interface Job {
  owner: object;
  request: Request;
  answer: Answer<unknown>;
}

/** The part of a Worker that is used here. */
export type WorkerLike = Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">;

/**
 * Parses texts and highlights code in a worker, one at a time and the newest request first.
 * A worker that takes too long is ended, and the next request gets another one.
 */
export class Background {
  readonly #start: () => WorkerLike;
  #worker: WorkerLike | null = null;
  #ready = false;
  #waiting: Job[] = [];
  #current: Job | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(start: () => WorkerLike) {
    this.#start = start;
  }

  /** Parses a text. An owner has at most one request waiting: a new one replaces it. */
  parse(owner: object, text: string, limits: Limits, answer: Answer<Parsed>): void {
    this.#add({ owner, request: { text, limits }, answer: answer as Answer<unknown> });
  }

  /** Highlights code, and answers with the HTML of its parts. */
  highlight(owner: object, request: HighlightRequest, answer: Answer<string[]>): void {
    this.#add({ owner, request, answer: answer as Answer<unknown> });
  }

  #add(job: Job): void {
    this.cancel(job.owner);
    this.#waiting.push(job);
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
    this.#timer = setTimeout(() => this.#fail(), timeLimit);
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
    // Not at once: parse may be on the stack.
    queueMicrotask(() => lost.forEach((job) => job.answer(null)));
    this.#next();
  }
}

/** The worker of this page. It is started when it is needed first. */
export const background = new Background(() => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" }));
