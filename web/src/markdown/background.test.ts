import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Background } from "./background";
import type { WorkerLike } from "./jobs";
import type { Parsed } from "./parse";
import type { ParseRequest } from "./worker";

const limits = { length: 100, work: 100, elements: 100 };

class FakeWorker implements WorkerLike {
  onmessage: Worker["onmessage"] = null;
  onerror: Worker["onerror"] = null;
  requests: string[] = [];
  ended = false;

  postMessage(request: ParseRequest): void {
    this.requests.push(request.text);
  }
  terminate(): void {
    this.ended = true;
  }
  say(data: "ready" | Parsed): void {
    this.onmessage!.call(this as unknown as Worker, { data } as MessageEvent);
  }
}

let workers: FakeWorker[];
let parser: Background;
let answers: Record<string, Parsed | null>;

beforeEach(() => {
  vi.useFakeTimers();
  workers = [];
  answers = {};
  parser = new Background(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  });
});
afterEach(() => void vi.useRealTimers());

const parsed = (html: string): Parsed => ({
  blocks: [{ html, length: 1, elements: 1 }],
  skipped: false,
});
const ask = (text: string, owner: object = {}) =>
  parser.parse(owner, text, limits, (answer) => (answers[text] = answer));

describe("Background", () => {
  it("parses one text at a time, the newest first", () => {
    ask("a");
    ask("b");
    expect(workers[0]!.requests).toEqual([]);
    workers[0]!.say("ready");
    expect(workers[0]!.requests).toEqual(["b"]);
    workers[0]!.say(parsed("B"));
    workers[0]!.say(parsed("A"));
    expect(workers[0]!.requests).toEqual(["b", "a"]);
    expect(answers).toEqual({ a: parsed("A"), b: parsed("B") });
    vi.advanceTimersByTime(60_000);
    expect(workers[0]!.ended).toBe(false);
  });

  it("ends a worker that takes too long, and goes on with another", () => {
    ask("a");
    ask("slow");
    workers[0]!.say("ready");
    vi.advanceTimersByTime(2000);
    expect(workers[0]!.ended).toBe(true);
    expect(answers).toEqual({ slow: null });
    workers[1]!.say("ready");
    workers[1]!.say(parsed("A"));
    expect(answers).toEqual({ slow: null, a: parsed("A") });
  });

  it("does not count the time to load the worker", () => {
    ask("a");
    vi.advanceTimersByTime(60_000);
    workers[0]!.say("ready");
    workers[0]!.say(parsed("A"));
    expect(answers).toEqual({ a: parsed("A") });
  });

  it("forgets what its owner does not need any more", () => {
    const owner = {};
    ask("a", owner);
    ask("b", owner);
    ask("c");
    parser.cancel(owner);
    workers[0]!.say("ready");
    workers[0]!.say(parsed("C"));
    expect(workers[0]!.requests).toEqual(["c"]);
  });

  it("gives up if the worker can't be loaded, but never at once", async () => {
    ask("a");
    workers[0]!.onerror!.call(workers[0] as unknown as Worker, new Event("error") as ErrorEvent);
    await Promise.resolve();
    expect(answers).toEqual({ a: null });
    const broken = new Background(() => {
      throw new Error("no workers here");
    });
    broken.parse({}, "b", limits, (answer) => (answers.b = answer));
    expect(answers).not.toHaveProperty("b");
    await Promise.resolve();
    expect(answers.b).toBeNull();
  });
});
