import { translator } from "../i18n/index.svelte";
import { en } from "./texts.en";
import { zh } from "./texts.zh";

export const say = translator<keyof typeof en>({ en, zh });
