import { flushSync } from "svelte";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keepPreferences, preferences } from "./preferences.svelte";

const key = "parley.preferences";
const stored = () => JSON.parse(localStorage.getItem(key) ?? "{}") as Record<string, unknown>;

/** Stores preferences as another tab does. */
function storeElsewhere(values: Record<string, unknown>): void {
  localStorage.setItem(key, JSON.stringify({ ...stored(), ...values }));
}

describe("preferences", () => {
  const before = { ...preferences };
  let stop: () => void;
  beforeEach(() => {
    stop = $effect.root(() => keepPreferences());
    flushSync();
  });
  afterEach(() => {
    stop();
    localStorage.clear();
    Object.assign(preferences, before);
  });

  it("keep what another tab has stored", () => {
    storeElsewhere({ theme: "dark" });
    preferences.webSearch = true;
    flushSync();
    expect(stored()).toEqual({ theme: "dark", webSearch: true });
    expect(preferences.theme).toBe("dark");
  });

  it("follow another tab", () => {
    storeElsewhere({ language: "zh" });
    dispatchEvent(new StorageEvent("storage", { key }));
    expect(preferences.language).toBe("zh");
  });
});
