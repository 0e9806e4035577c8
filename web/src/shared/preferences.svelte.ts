export type Theme = "system" | "light" | "dark";
export type Language = "en" | "zh";

interface Stored {
  theme: Theme;
  language: Language | null;
  model: string;
  deepThinking: boolean;
  webSearch: boolean;
  sidebarOpen: boolean;
  /** Whether long lines of code are broken. */
  wrapCode: boolean;
}

const key = "parley.preferences";
const initial: Stored = {
  theme: "system",
  language: null,
  model: "",
  deepThinking: false,
  webSearch: false,
  sidebarOpen: true,
  wrapCode: false,
};

/** What this tab knows to be stored. */
let known: Partial<Stored> = load();

/** The user's preferences, stored in this browser. */
export const preferences: Stored = $state({ ...initial, ...known });

function load(): Partial<Stored> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<Stored>;
  } catch {
    return {};
  }
}

/** Stores what was changed in this tab, and leaves what other tabs have stored. */
function store(current: Stored): void {
  const changed = Object.entries(current).filter(
    ([name, value]) => value !== { ...initial, ...known }[name as keyof Stored],
  );
  if (changed.length === 0) return;
  known = { ...load(), ...Object.fromEntries(changed) };
  localStorage.setItem(key, JSON.stringify(known));
  Object.assign(preferences, known);
}

/**
 * Stores and applies the preferences on every change, and follows other tabs.
 * Must be called where $effect is allowed.
 */
export function keepPreferences(): void {
  $effect(() => {
    store({ ...preferences });
    const root = document.documentElement;
    if (preferences.theme === "system") delete root.dataset.theme;
    else root.dataset.theme = preferences.theme;
  });
  $effect(() => {
    const changed = (event: StorageEvent) => {
      if (event.key !== key) return;
      known = load();
      Object.assign(preferences, initial, known);
    };
    addEventListener("storage", changed);
    return () => removeEventListener("storage", changed);
  });
}
