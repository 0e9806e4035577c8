import { translator } from "../i18n/index.svelte";
import { en } from "./palette.en";
import { zh } from "./palette.zh";

export type PaletteText = keyof typeof en;

export const say = translator<PaletteText>({ en, zh });
