export type Theme = "system" | "light" | "dark";
export type Language = "en" | "zh";

interface Stored {
  theme: Theme;
  language: Language | null;
  model: string;
  deepThinking: boolean;
  webSearch: boolean;
  sidebarOpen: boolean;
}

const key = "parley.preferences";
const initial: Stored = {
  theme: "system",
  language: null,
  model: "",
  deepThinking: false,
  webSearch: false,
  sidebarOpen: true,
};

/** The user's preferences, stored in this browser. */
export const preferences: Stored = $state({ ...initial, ...load() });

function load(): Partial<Stored> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<Stored>;
  } catch {
    return {};
  }
}

/** Stores and applies the preferences on every change. Must be called once, where $effect is allowed. */
export function keepPreferences(): void {
  $effect(() => {
    localStorage.setItem(key, JSON.stringify(preferences));
    const root = document.documentElement;
    if (preferences.theme === "system") delete root.dataset.theme;
    else root.dataset.theme = preferences.theme;
  });
}
