import type { TextsOf } from "../i18n/plural";
import type { en } from "./dialog-texts.en";

export const zh: TextsOf<typeof en> = {
  "expiry.text": "到时间后，对话连同其消息和文件一起删除。",
  "expiry.now": "将于 {date} 删除。",
  "expiry.never": "保留对话",
  "expiry.day": "1 天后删除",
  "expiry.week": "1 周后删除",
  "expiry.month": "30 天后删除",
  "clear.title": "清空此对话的所有消息？",
  "clear.text": "消息及其收藏将永久删除，对话和文件会保留。",
  "clear.done": "消息已清空。",
  fork: "从这里另开分支",
};
