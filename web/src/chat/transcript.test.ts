import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as operations from "../api/operations";
import type { Message } from "../api/types";
import { Entry } from "./entry.svelte";
import { Transcript } from "./transcript.svelte";

const total = 200;
const message = (number: number): Message => ({
  id: String(number).padStart(4, "0"),
  role: number % 2 ? "user" : "assistant",
  content: `Message ${number}`,
  timestamp: number,
  is_favorited: false,
});

beforeEach(() => {
  vi.spyOn(operations, "listMessages").mockImplementation((_, page, size) => {
    const numbers = Array.from({ length: size }, (__, index) => (page - 1) * size + index + 1);
    return Promise.resolve({ messages: numbers.filter((number) => number <= total).map(message), total });
  });
});
afterEach(() => void vi.restoreAllMocks());

/** Opens the end of a long session. */
async function openEnd() {
  const transcript = new Transcript("s", undefined, new AbortController().signal);
  await transcript.openAt(total, true);
  return transcript;
}

describe("a jump to the first message", () => {
  it("loads only the first page", async () => {
    const transcript = await openEnd();
    vi.mocked(operations.listMessages).mockClear();
    await transcript.openAt(1, false);
    expect(vi.mocked(operations.listMessages).mock.calls.map(([, page]) => page)).toEqual([1]);
    expect([transcript.stretch.first, transcript.hasNewer]).toEqual([1, true]);
  });

  it("is not undone by earlier messages that come later", async () => {
    const transcript = await openEnd();
    await Promise.all([transcript.readOlder(), transcript.openAt(1, false)]);
    expect(transcript.stretch.first).toBe(1);
    expect(transcript.entries[0]!.message).toEqual(message(1));
  });

  it("brings failed questions back with the end", async () => {
    const transcript = await openEnd();
    const failed = Entry.local("user", "And back?", "failed");
    transcript.push(failed);
    await transcript.openAt(1, false);
    expect(transcript.entries).not.toContain(failed);
    await transcript.openAt(total, true);
    expect(transcript.entries.at(-1)).toBe(failed);
    expect(transcript.entries.filter((entry) => entry === failed)).toHaveLength(1);
  });

  it("keeps the reply that is pending", async () => {
    const transcript = await openEnd();
    const reply = transcript.entries.at(-1)!;
    reply.state = "pending";
    transcript.live = reply;
    await transcript.openAt(1, false);
    await transcript.openAt(total, true);
    expect(transcript.entries.at(-1)).toBe(reply);
  });
});
