import { translator } from "../i18n/index.svelte";

// They come with the first message.
export const say = translator<"first" | "listen" | "hush" | "noVoice">({
  en: {
    first: "Jump to the first message",
    listen: "Read aloud",
    hush: "Stop reading",
    noVoice: "This browser has no voice for the language of this text.",
  },
  zh: {
    first: "跳到第一条消息",
    listen: "朗读",
    hush: "停止朗读",
    noVoice: "此浏览器没有适合这段文字语言的语音。",
  },
});
