import { configure } from "@testing-library/svelte";
import { vi } from "vitest";

// A busy machine may take seconds to show something.
configure({ asyncUtilTimeout: 300_000 });

// jsdom does not lay out pages. This is a wide one, without a touch screen.
vi.stubGlobal("matchMedia", (query: string) => ({
  matches: query.includes("min-width"),
  addEventListener: () => {},
}));

// Most test files share a document. Each of them begins with an empty one, and nothing stored.
document.body.replaceChildren();
localStorage.clear();
sessionStorage.clear();
