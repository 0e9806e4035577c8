import { translator } from "../i18n/index.svelte";
import { en } from "./api-key-texts.en";
import { zh } from "./api-key-texts.zh";

export const say = translator<keyof typeof en>({ en, zh });
