import { translator } from "../i18n/index.svelte";
import { en } from "./original.en";
import { zh } from "./original.zh";

export const say = translator<keyof typeof en>({ en, zh });
