import type { page as en } from "../en/page";
import type { TextsOf } from "../plural";

export const page: TextsOf<typeof en> = {
  "app.name": "Parley",
  "app.tagline": "与任何模型从容思考的地方。",
  "app.reference": "API 文档",
  "app.skip": "跳到对话",

  "nav.label": "会话",
  "nav.new": "新对话",
  "nav.search": "搜索",
  "nav.favorites": "收藏",
  "nav.settings": "设置",
  "nav.admin": "管理",
  "nav.account": "账号",
  "nav.open": "打开侧栏",
  "nav.close": "关闭侧栏",
  "nav.empty": "你的对话会显示在这里。",
  "nav.loading": "正在加载对话",

  "time.now": "刚刚",
  "time.justNow": "刚刚",

  "day.today": "今天",
  "day.yesterday": "昨天",
  "day.week": "过去 7 天",
  "day.month": "过去 30 天",

  "shortcuts.title": "键盘快捷键",
  "shortcuts.search": "搜索对话和命令",
  "shortcuts.results": "搜索页面",
  "shortcuts.new": "新对话",
  "shortcuts.compose": "撰写消息",
  "shortcuts.send": "发送消息",
  "shortcuts.newline": "换行",
  "shortcuts.stop": "停止回复",
  "shortcuts.sidebar": "显示或隐藏侧栏",
  "shortcuts.help": "显示此列表",

  "common.cancel": "取消",
  "common.close": "关闭",
  "common.undo": "撤销",
  "common.retry": "重试",
  "common.more": "更多操作",
  "common.discard": "放弃",
  "common.loading": "加载中",
  "common.new": "开始新对话",
};
