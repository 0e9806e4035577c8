import { translator } from "../i18n/index.svelte";
import { en } from "./bulk-texts.en";
import { zh } from "./bulk-texts.zh";

export type BulkText = keyof typeof en;

export const say = translator<BulkText>({ en, zh });
