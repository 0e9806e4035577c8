import { language } from "../i18n/index.svelte";

/** The interface texts of the reference. They are not in ../i18n because the chat page does not need them. */
const en = {
  title: "API reference",
  intro: "Everything the web client does, over HTTP and JSON: accounts, sessions, replies, favorites and documents.",
  document: "OpenAPI document",
  pageTitle: "Parley API reference",

  contents: "Contents",
  openContents: "Open contents",
  closeContents: "Close contents",
  search: "Search the reference",
  nothing: "Nothing matches “{query}”.",
  guides: "Guides",
  skip: "Skip to the content",

  trial: "“Try it” calls this server with a trial account, which is deleted when you leave the page.",
  trialNow: "“Try it” uses the trial account {email}, which is deleted when you leave the page.",
  own: "“Try it” uses your account {email} and changes real data.",
  useOwn: "Use your own account",
  email: "E-mail",
  password: "Password",
  code: "Code of the second factor",
  logIn: "Log in",
  register: "Register",
  logOut: "Log out",

  open: "No token needed.",
  parameters: "Parameters",
  body: "Body",
  result: "Response body",
  noResult: "The response has no body. Success is the envelope alone.",
  required: "required",
  default: "default {value}",
  fields: "{count} fields",
  path: "path",
  query: "query",
  header: "header",
  errors: "Errors",

  language: "Language of the samples",
  request: "Request",
  response: "Response",
  status: "Status",
  yours: "Live",
  example: "Example",
  copy: "Copy",
  copied: "Copied",

  tryIt: "Try it",
  stop: "Stop",
  edit: "Edit request",
  asFields: "Fields",
  asJson: "JSON",
  made: "Made for you",
  leaveEmpty: "Leave empty to have one made.",
  notJson: "This is not JSON.",
  file: "Choose a file, or a small one is uploaded.",
  sending: "Sending…",
  outcome: "HTTP {status} after {ms} ms",
  preparing: "Preparing failed: {message}",
  missing: "Fill in {name} first.",
  unreachable: "The server can't be reached.",
};

export type TextKey = keyof typeof en;

const zh: Record<TextKey, string> = {
  title: "API 文档",
  intro: "网页客户端的全部功能都可通过 HTTP 和 JSON 使用：账号、会话、回复、收藏和文档。",
  document: "OpenAPI 文档",
  pageTitle: "Parley API 文档",

  contents: "目录",
  openContents: "打开目录",
  closeContents: "关闭目录",
  search: "搜索文档",
  nothing: "没有与“{query}”匹配的内容。",
  guides: "指南",
  skip: "跳到正文",

  trial: "“试一试”会用试用账号调用此服务器，离开页面时试用账号会被删除。",
  trialNow: "“试一试”使用试用账号 {email}，离开页面时它会被删除。",
  own: "“试一试”使用你的账号 {email}，会修改真实数据。",
  useOwn: "使用自己的账号",
  email: "邮箱",
  password: "密码",
  code: "两步验证的验证码",
  logIn: "登录",
  register: "注册",
  logOut: "退出登录",

  open: "不需要令牌。",
  parameters: "参数",
  body: "请求体",
  result: "响应的 body",
  noResult: "响应没有 body，成功时只有信封。",
  required: "必填",
  default: "默认 {value}",
  fields: "{count} 个字段",
  path: "路径",
  query: "查询参数",
  header: "请求头",
  errors: "错误",

  language: "示例语言",
  request: "请求",
  response: "响应",
  status: "状态",
  yours: "实际结果",
  example: "示例",
  copy: "复制",
  copied: "已复制",

  tryIt: "试一试",
  stop: "停止",
  edit: "编辑请求",
  asFields: "字段",
  asJson: "JSON",
  made: "已自动创建",
  leaveEmpty: "留空则自动创建。",
  notJson: "这不是 JSON。",
  file: "选择文件，否则上传一个小文件。",
  sending: "正在发送…",
  outcome: "HTTP {status}，用时 {ms} 毫秒",
  preparing: "准备失败：{message}",
  missing: "请先填写 {name}。",
  unreachable: "无法连接服务器。",
};

export const texts = { en, zh };

/** Returns an interface text of the reference in the user's language. */
export function say(key: TextKey, values: Record<string, string | number> = {}): string {
  return texts[language()][key].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}
