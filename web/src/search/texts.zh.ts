import type { TextsOf } from "../i18n/plural";
import type { en } from "./texts.en";

export const zh: TextsOf<typeof en> = {
  "search.title": "搜索",
  "search.label": "搜索对话、消息和文件",
  "search.filter": "筛选结果",
  "search.all": "全部",
  "search.titles": "对话",
  "search.messages": "消息",
  "search.files": "文件",
  "search.from": "开始日期",
  "search.to": "结束日期",
  "search.clear": "清除筛选",
  "search.hits": "{count} 条结果",
  "search.chats": "来自 {count} 个对话",
  "search.searching": "正在搜索…",
  "search.begin": "输入要查找的内容。会搜索对话、消息和文件，任何语言都可以。",
  "search.keys": "按 {down} 和 {up} 在结果间移动，按 {enter} 打开，按 {slash} 回到搜索框。",
  "search.nothing": "没有名称或内容包含“{word}”的结果。",
  "search.nothingFiltered": "没有符合筛选条件且名称或内容包含“{word}”的结果。",
  "search.results": "结果",
  "search.file": "文件",
  "search.message": "消息",
  "search.more": "再显示此对话中的 {count} 条",
  "search.moreOf": "再显示“{title}”中的 {count} 条",
  "search.loadMore": "加载更多对话",
};
