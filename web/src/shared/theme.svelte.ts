import { MediaQuery } from "svelte/reactivity";
import { preferences } from "./preferences.svelte";

const systemIsDark = new MediaQuery("prefers-color-scheme: dark");

/** Reports whether the page is dark. */
export function isDark(): boolean {
  return preferences.theme === "system" ? systemIsDark.current : preferences.theme === "dark";
}
