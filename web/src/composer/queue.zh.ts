import type { TextsOf } from "../i18n/plural";
import type { en } from "./queue.en";

export const zh: TextsOf<typeof en> = {
  waiting: "将在回复完成后发送",
  back: "取回编辑",
  now: "停止回复并立即发送",
  kept: "回复提前结束，后面的问题没有发送，已放回输入框。",
  left: "等待回复完成的问题没有发送，已作为草稿保留在那个对话中。",
};
