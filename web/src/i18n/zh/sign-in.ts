import type { signIn as en } from "../en/sign-in";
import type { TextsOf } from "../plural";

export const signIn: TextsOf<typeof en> = {
  "signIn.or": "或",
  "signIn.with": "使用 {name} 登录",
  "signIn.title": "登录",
  "signIn.busy": "请稍候……",
  "signIn.back": "返回",
  "signIn.provider": "你的登录服务",
  "signIn.link": "关联账号",
  "signIn.linkText": "已有账号使用 {name} 提供的邮箱地址。输入该账号的密码一次，即可关联两者。",
  "signIn.linkConfirm": "关联",
  "signIn.unavailable": "暂时无法连接登录服务，请稍后再试。",
  "signIn.denied": "未登录：登录已取消。",
  "signIn.expired": "此次登录已过期，或是在另一个浏览器中开始的。请重新登录。",
  "signIn.elsewhere": "此次登录不是在此标签页中开始的。请重新登录。",
  "signIn.refused": "未登录：登录服务的响应无效。请联系管理员。",
  "signIn.unverified": "未登录：登录服务没有你已验证的邮箱地址。",
  "signIn.closed": "你还没有账号，且此服务器未开放注册。请联系管理员。",
  "signIn.disabled": "此账号已被停用。请联系管理员。",
  "signIn.tooMany": "短时间内尝试次数过多，请稍后再试。",
  "signIn.failed": "由于出错，未能登录。请重试。",
};
