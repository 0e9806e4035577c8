import { translator } from "../i18n/index.svelte";
import { en } from "./dialog-texts.en";
import { zh } from "./dialog-texts.zh";

export const say = translator<keyof typeof en>({ en, zh });
