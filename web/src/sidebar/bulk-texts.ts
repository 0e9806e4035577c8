import { translator } from "../i18n/index.svelte";
import { en } from "./bulk.en";
import { zh } from "./bulk.zh";

export type BulkText = keyof typeof en;

export const say = translator<BulkText>({ en, zh });
