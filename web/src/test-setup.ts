import { vi } from "vitest";

// jsdom does not lay out pages.
const wide = { matches: true, addEventListener: () => {} };
vi.stubGlobal("matchMedia", () => wide);
