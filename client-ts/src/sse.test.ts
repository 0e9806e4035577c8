import { describe, expect, it } from "vitest";
import { ErrorCode } from "./error.js";
import { EventParser, readEvents } from "./sse.js";

describe("EventParser", () => {
  it("reads events, their ids and names", () => {
    expect(new EventParser().push('id: 1.0.5\nevent: delta\ndata: {"text":"a"}\n\n')).toEqual([
      { id: "1.0.5", name: "delta", data: '{"text":"a"}' },
    ]);
  });

  it("joins chunks that are split anywhere", () => {
    const text = ": still here\n\nid: 1\r\nevent: delta\r\ndata: one\r\ndata: two\r\n\r\ndata: three\n\n";
    for (let cut = 0; cut <= text.length; cut++) {
      const parser = new EventParser();
      expect([...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut))]).toEqual([
        { id: "1", name: "delta", data: "one\ntwo" },
        { id: "1", name: "message", data: "three" },
      ]);
    }
  });

  it("holds back an incomplete event", () => {
    expect(new EventParser().push("data: half\n")).toEqual([]);
  });
});

describe("readEvents", () => {
  it("decodes characters that are split between chunks", async () => {
    const bytes = new TextEncoder().encode("data: 渡船\n\n");
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    const seen: string[] = [];
    for await (const event of readEvents(stream)) seen.push(event.data);
    expect(seen).toEqual(["渡船"]);
  });

  it("gives up a connection that is silent, and cancels it", async () => {
    let canceled = false;
    const silent = new ReadableStream<Uint8Array>({
      cancel() {
        canceled = true;
      },
    });
    await expect(readEvents(silent, undefined, 1).next()).rejects.toMatchObject({ code: ErrorCode.offline });
    expect(canceled).toBe(true);
  });
});
