import type { TextsOf } from "../i18n/plural";
import type { en } from "./bulk-texts.en";

export const zh: TextsOf<typeof en> = {
  label: "已选择的对话",
  count: "已选择 {count} 个",
  end: "结束选择",
  archived: "已归档 {count} 个对话。",
  unarchived: "{count} 个对话已移回列表。",
  deleted: "已删除 {count} 个对话。",
  notArchived: "{total} 个对话中有 {count} 个未能归档。{reason}",
  notUnarchived: "{total} 个对话中有 {count} 个未能移回列表。{reason}",
  notUndone: "{total} 个对话中有 {count} 个未能撤销。{reason}",
  notDeleted: "{total} 个对话中有 {count} 个未能删除。{reason}",
  notExported: "{total} 个对话中有 {count} 个未能导出。{reason}",
  deleteAsk: "删除 {count} 个对话？",
  deleteText: "消息、收藏和文件将被永久删除，无法撤销。",
  allText: "将永久删除 {count} 个对话（包括已归档的）及其消息、收藏和文件。",
  allConfirm: "删除 {count} 个对话",
  progress: "{done} / {count}",
  none: "你还没有对话。",
};
