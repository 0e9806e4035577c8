package account

import "parley/internal/language"

// resetText returns the subject and the text of a mail with a link to set a new password.
func resetText(written language.Language, link string) (subject, text string) {
	if written == language.Chinese {
		return "重置你的 Parley 密码", `有人请求重置此邮箱的 Parley 账号密码。请在 30 分钟内打开以下链接设置新密码，链接只能使用一次：

` + link + `

设置新密码后，此账号的所有登录和密钥都将失效。

如果不是你本人的请求，请忽略此邮件，你的密码不会改变。
`
	}
	return "Reset your Parley password", `Somebody asked to reset the password of the Parley account with this address.
To set a new password, open this link within 30 minutes. It works once:

` + link + `

The new password ends all logins and keys of the account.

If it was not you, ignore this mail: your password stays as it is.
`
}

// inviteText returns the subject and the text of a mail with an invitation.
func inviteText(written language.Language, link string) (subject, text string) {
	if written == language.Chinese {
		return "你被邀请使用 Parley", `管理员为此邮箱创建了 Parley 账号。请在 7 天内打开以下链接设置密码，链接只能使用一次：

` + link + `

如果链接已过期，请联系管理员获取新链接。如果你不认识邀请者，请忽略此邮件。
`
	}
	return "You are invited to Parley", `An administrator created a Parley account for this address.
To choose its password, open this link within 7 days. It works once:

` + link + `

If the link has expired, ask the administrator for a new one. If you don't know who invites you, ignore this mail.
`
}
