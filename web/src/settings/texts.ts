import { translator } from "../i18n/index.svelte";
import { en } from "./texts.en";
import { zh } from "./texts.zh";

export type TextKey = keyof typeof en;

/** Returns a text of the settings. They are not in ../i18n because the first page does not need them. */
export const say = translator<TextKey>({ en, zh });
