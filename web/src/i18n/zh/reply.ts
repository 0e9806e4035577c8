import type { reply as en } from "../en/reply";
import type { TextsOf } from "../plural";

export const reply: TextsOf<typeof en> = {
  "reply.copy": "复制",
  "reply.copied": "已复制",
  "reply.regenerate": "重新生成",
  "reply.favorite": "收藏",
  "reply.unfavorite": "取消收藏",
  "reply.thinking": "正在思考",
  "reply.thought": "思考了 {seconds} 秒",
  "reply.thoughtBriefly": "思考了片刻",
  "reply.sourcesTitle": "来源",
  "reply.oneSource": "1 个来源",
  "reply.sources": "{count} 个来源",
  "reply.oneFile": "1 个文件",
  "reply.files": "{count} 个文件",
  "reply.read": "参考的文件",
  "reply.pageRead": "已读取",
  "reply.notInFile": "在 {name} 中未找到这处引文：",
  "reply.notInSource": "在来源 {number} 中未找到这处引文：",
  "reply.notFound": "在文件中未找到这处引文：",
  "reply.passages": "{name} 的段落",
  "reply.interrupted": "此回复被中断。",
  "reply.stopped": "你已停止此回复。",
  "reply.cut": "此回复达到了模型的长度上限。",
  "reply.filtered": "模型服务商的过滤器结束了此回复。",
  "reply.ended": "模型服务器结束了此回复（{reason}）。",
  "reply.continue": "继续",
  "reply.unformatted": "部分内容过长或过于复杂，未排版显示。",

  "diagram.name": "图表",
  "diagram.source": "源代码",
  "diagram.failed": "无法绘制此图表。",

  "edit.begin": "编辑",
  "edit.label": "编辑问题",
  "edit.send": "保存并发送",

  "versions.label": "版本",
  "versions.previous": "上一个版本",
  "versions.next": "下一个版本",
  "versions.current": "第 {version} 个版本，共 {versions} 个",
};
