import { translator } from "../../i18n/index.svelte";
import { en } from "./texts.en";
import { zh } from "./texts.zh";

/** Returns a text of the page of models. */
export const say = translator<keyof typeof en>({ en, zh });
