import { expect, it } from "vitest";
import { markAll } from "./marks";

const shown = (...given: Parameters<typeof markAll>) =>
  markAll(...given)
    .map(({ text, marked }) => (marked ? `«${text}»` : text))
    .join("");

it("marks all places of a word in any case", () => {
  expect(shown("Ferry or FERRY, no fer ry", "ferry")).toBe("«Ferry» or «FERRY», no fer ry");
  expect(shown("去渡船的渡船", "渡船")).toBe("去«渡船»的«渡船»");
  expect(shown("nothing", "ferry")).toBe("nothing");
  expect(shown("text", "")).toBe("text");
});

it("marks what the server has found, however it is written", () => {
  expect(shown("🚢 die Straße, strasse", "strasse", { start: 6, length: 6 })).toBe("🚢 die «Straße», «strasse»");
  expect(shown("İ ferry ferry", "ferry", { start: 2, length: 5 })).toBe("İ «ferry» «ferry»");
  expect(shown("a file", "ferry", { start: 0, length: 0 })).toBe("a file");
});
