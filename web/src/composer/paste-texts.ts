import { translator } from "../i18n/index.svelte";

// They are loaded with the first long text that is pasted.
export const say = translator<"attached" | "insert">({
  en: { attached: "The long text was attached as “{name}”.", insert: "Insert as text" },
  zh: { attached: "文本较长，已作为“{name}”添加。", insert: "改为插入文字" },
});
