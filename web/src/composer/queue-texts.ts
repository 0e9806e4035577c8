import { translator } from "../i18n/index.svelte";
import { en } from "./queue.en";
import { zh } from "./queue.zh";

export const say = translator<keyof typeof en>({ en, zh });
