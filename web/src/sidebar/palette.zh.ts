import type { TextsOf } from "../i18n/plural";
import type { en } from "./palette.en";

export const zh: TextsOf<typeof en> = {
  "palette.label": "搜索对话、消息、文件和命令",
  "palette.placeholder": "搜索对话、消息、文件和命令",
  "palette.chats": "对话",
  "palette.here": "在此对话中",
  "palette.messages": "消息",
  "palette.files": "文件",
  "palette.commands": "命令",
  "palette.nothing": "没有名称或内容包含“{word}”的结果。",
  "palette.light": "使用浅色主题",
  "palette.dark": "使用深色主题",
  "palette.all": "显示全部 {count} 条结果",
  "palette.part": "{shown} / {total}",
};
