import type { factor as en } from "../en/factor";
import type { TextsOf } from "../plural";

export const factor: TextsOf<typeof en> = {
  "factor.code": "验证码",
  "factor.codeHint": "六位数字，每 30 秒更新",
  "factor.ask": "密码正确。此账号已开启两步验证，请输入验证码。",
  "factor.recoveryCode": "恢复码",
  "factor.recoveryHint": "你保存的十个恢复码之一",
  "factor.useRecovery": "使用恢复码",
  "factor.useApp": "使用验证器应用",

  "reset.forgot": "忘记密码？",
  "reset.text": "我们会向你发送设置新密码的链接。",
  "reset.send": "发送链接",
  "reset.sent": "若有账号使用此邮箱，含链接的邮件已经发出。链接 30 分钟内有效。",
  "reset.ask": "此服务器不发送邮件，请联系管理员重置密码。",
  "reset.back": "返回登录",
  "reset.title": "设置新密码",
  "reset.for": "账号",
  "reset.ends": "此账号的所有登录和密钥都将失效。",
  "reset.bad": "链接有误、已使用或已过期，请重新获取。",
  "invite.title": "欢迎使用 Parley",
  "invite.for": "邀请账号",
  "invite.choose": "设置密码即可开始使用。",
  "invite.begin": "设置密码并登录",
  "invite.bad": "此邀请已使用或已过期。若已设置过密码，请直接登录；否则请联系管理员获取新链接。",
  "invite.leave": "返回 Parley",
  "reset.done": "密码已修改，所有登录和密钥均已失效。请使用新密码登录。",

  "error.1003.totp": "验证码错误或已使用过，请等待下一个验证码。",
};
