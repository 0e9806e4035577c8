import { translator } from "../i18n/index.svelte";
import { en } from "./rating-texts.en";
import { zh } from "./rating-texts.zh";

export const say = translator<keyof typeof en>({ en, zh });
