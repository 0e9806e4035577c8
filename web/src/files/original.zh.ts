import type { TextsOf } from "../i18n/plural";
import type { en } from "./original.en";

export const zh: TextsOf<typeof en> = {
  views: "显示文件的哪一部分",
  text: "文字",
  original: "原件",
  loading: "正在加载原件…",
  tooLarge: "原件太大，无法在此显示（{size}）。",
  noViewer: "此浏览器无法在页面中显示 PDF。",
  failed: "无法显示原件。",
  download: "下载 {name}",
};
