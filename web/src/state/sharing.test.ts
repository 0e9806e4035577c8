import { expect, it, vi } from "vitest";
import { shareLink } from "./sharing.svelte";

it.each([
  ["http://chat.example.com/s/a", "https://chat.example.com:8443/s/a"], // what a proxy did not tell
  ["https://chat.example.com:8443/s/a", "https://chat.example.com:8443/s/a"],
  ["https://public.example.com/s/a", "https://public.example.com/s/a"], // PARLEY_PUBLIC_URL
])("a link %s is shown as %s", (given, shown) => {
  vi.stubGlobal("location", new URL("https://chat.example.com:8443/#/chat"));
  expect(shareLink(given)).toBe(shown);
  vi.unstubAllGlobals();
});
