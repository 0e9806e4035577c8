import { vi } from "vitest";

// jsdom does not lay out pages. This is a wide one, without a touch screen.
vi.stubGlobal("matchMedia", (query: string) => ({
  matches: query.includes("min-width"),
  addEventListener: () => {},
}));

// Most test files share a document. Each of them begins with an empty one, and nothing stored.
document.body.replaceChildren();
localStorage.clear();
sessionStorage.clear();
