import { translator } from "../i18n/index.svelte";

// The first page has no code.
export const say = translator<"wrap" | "download">({
  en: { wrap: "Wrap lines", download: "Download" },
  zh: { wrap: "自动换行", download: "下载" },
});
