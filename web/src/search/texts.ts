import { translator } from "../i18n/index.svelte";
import { en } from "./texts.en";
import { zh } from "./texts.zh";

export type SearchText = keyof typeof en;

export const say = translator<SearchText>({ en, zh });
