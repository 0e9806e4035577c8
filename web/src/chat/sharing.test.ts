import { expect, it, vi } from "vitest";
import { shareLink } from "./sharing.svelte";

const page = "https://chat.example.com:8443/#/chat";

it.each([
  [page, "http://chat.example.com/s/a", "https://chat.example.com:8443/s/a"], // what a proxy did not tell
  [page, "https://chat.example.com:8443/s/a", "https://chat.example.com:8443/s/a"],
  [page, "https://public.example.com/s/a", "https://public.example.com/s/a"], // PARLEY_PUBLIC_URL
  ["http://chat.example.com:8080/#/chat", "https://chat.example.com/s/a", "https://chat.example.com/s/a"],
])("at %s a link %s is shown as %s", (at, given, shown) => {
  vi.stubGlobal("location", new URL(at));
  expect(shareLink(given)).toBe(shown);
  vi.unstubAllGlobals();
});
