import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import SearchIcon from "@lucide/svelte/icons/search";
import { type Item, Palette, type Provider, splitAtMatch, splitAtPlace } from "./palette.svelte";

const item = (label: string): Item => ({ id: label, label, icon: SearchIcon, run: () => {} });
const commands: Provider = {
  name: "palette.commands",
  remote: false,
  find: (word) => ({ items: ["New chat", "Settings"].filter((label) => label.toLowerCase().includes(word)).map(item) }),
};

/** A provider whose requests are answered by the test. */
function chats() {
  const requests: {
    word: string;
    signal: AbortSignal;
    respond: (items: Item[], total?: number) => void;
    fail: () => void;
  }[] = [];
  const provider: Provider = {
    name: "palette.chats",
    remote: true,
    find: (word, signal) =>
      new Promise((respond, reject) =>
        requests.push({
          word,
          signal,
          respond: (items, total) => respond({ items, total }),
          fail: () => reject(new Error("offline")),
        }),
      ),
  };
  return { requests, provider };
}

describe("the palette", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const pause = () => vi.advanceTimersByTimeAsync(200);

  it("lists everything before a word is typed, without a wait", async () => {
    const { requests, provider } = chats();
    const palette = new Palette([provider, commands]);
    await vi.advanceTimersByTimeAsync(0);
    requests[0]!.respond([item("Capri")]);
    await vi.advanceTimersByTimeAsync(0);
    expect(palette.items.map(({ label }) => label)).toEqual(["Capri", "New chat", "Settings"]);
    expect(palette.waiting).toBe(0);
  });

  it("asks the server once the user pauses, for the last word only", async () => {
    const { requests, provider } = chats();
    const palette = new Palette([provider, commands]);
    palette.search("n");
    palette.search("ne");
    await pause();
    expect(requests.map(({ word }) => word)).toEqual(["", "ne"]);
    expect(palette.groups.map(({ name }) => name)).toEqual(["palette.commands"]);
  });

  it("drops a response that comes after another word", async () => {
    const { requests, provider } = chats();
    const palette = new Palette([provider]);
    palette.search("old");
    await pause();
    palette.search("new");
    await pause();
    requests[2]!.respond([item("new")]);
    requests[1]!.respond([item("old")]);
    await pause();
    expect(requests[1]!.signal.aborted).toBe(true);
    expect(palette.items.map(({ label }) => label)).toEqual(["new"]);
  });

  it("keeps what others found if one provider fails", async () => {
    const { requests, provider } = chats();
    const palette = new Palette([provider, commands]);
    palette.search("set");
    await pause();
    requests[1]!.fail();
    await pause();
    expect(palette.error).toBeInstanceOf(Error);
    expect(palette.items.map(({ label }) => label)).toEqual(["Settings"]);
  });

  it("ends with all results, if there are any", async () => {
    const { requests, provider } = chats();
    const palette = new Palette([provider, commands], (word, total) => item(`all ${total} with ${word}`));
    await vi.advanceTimersByTimeAsync(0);
    requests[0]!.respond([item("Capri")]);
    await vi.advanceTimersByTimeAsync(0);
    expect(palette.all).toBeNull();
    palette.search(" set ");
    await pause();
    requests[1]!.respond([item("Sets"), item("Settees")], 20);
    await pause();
    expect(palette.groups.map(({ items, total }) => [items.length, total])).toEqual([
      [2, 20],
      [1, undefined],
    ]);
    expect(palette.items.map(({ label }) => label)).toEqual(["Sets", "Settees", "Settings", "all 20 with set"]);
    palette.move(-1);
    expect(palette.current?.label).toBe("all 20 with set");
    palette.search("nothing");
    await pause();
    requests[2]!.respond([], 0);
    await pause();
    expect(palette.items).toEqual([]);
  });

  it("moves the selection around the ends", async () => {
    const palette = new Palette([commands]);
    await pause();
    palette.move(-1);
    expect(palette.current?.label).toBe("Settings");
    palette.move(1);
    expect(palette.current?.label).toBe("New chat");
    palette.search("nothing");
    await pause();
    palette.move(1);
    expect(palette.current).toBeUndefined();
  });
});

describe("splitAtMatch", () => {
  it("finds the first match in any case", () => {
    expect(splitAtMatch("The Ferry", "ferry")).toEqual(["The ", "Ferry", ""]);
    expect(splitAtMatch("五月的卡普里", "卡")).toEqual(["五月的", "卡", "普里"]);
    expect(splitAtMatch("The Ferry", "boat")).toEqual(["The Ferry", "", ""]);
    expect(splitAtMatch("The Ferry", "")).toEqual(["The Ferry", "", ""]);
    expect(splitAtMatch("The next Ferry leaves", "ferry", 5)).toEqual(["…next ", "Ferry", " leaves"]);
  });
});

describe("splitAtPlace", () => {
  it("counts code points", () => {
    expect(splitAtPlace("🚢🚢 Straße 1", { start: 3, length: 6 }, 24)).toEqual(["🚢🚢 ", "Straße", " 1"]);
    expect(splitAtPlace("🚢🚢 Straße 1", { start: 3, length: 6 }, 2)).toEqual(["…🚢 ", "Straße", " 1"]);
  });
});
