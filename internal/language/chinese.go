package language

// entry is a message in two languages.
type entry struct{ english, chinese string }

// chineseMessages has every message of an error in English and in Chinese. In the English message %s stands for a name,
// %d for a number and %v for any text. The Chinese message has %s for each of them, in the same order. A new error
// needs an entry here: a test compares the table with the code.
var chineseMessages = []entry{
	// Accounts.
	{"registration is closed on this server; ask its operator for an account", "此服务器未开放注册，请向管理员申请账号"},
	{"this account is disabled; ask the operator of this server", "此账号已被停用，请联系服务器管理员"},
	{"you have no login with this token_id", "你没有与此 token_id 对应的登录"},
	{"you have no key with this key_id", "你没有与此 key_id 对应的密钥"},
	{"you have 50 keys, as many as you can have; remove some first", "你已有 50 个密钥，达到上限，请先删除一些"},
	{"a key can't do this; use the token of a login", "密钥不能执行此操作，请使用登录得到的令牌"},
	{"this key can't do this; it needs the scope chat", "此密钥不能执行此操作：需要 chat 权限"},
	{"this key can't do this; it needs the scope files", "此密钥不能执行此操作：需要 files 权限"},
	{"scopes must have at least one of read, chat and files", "scopes 至少要包含 read、chat、files 之一"},
	{"name must not contain control characters", "name 不能包含控制字符"},
	{"expires_in must be 0, or from 60 to 315,360,000 seconds", "expires_in 必须是 0，或 60 至 315,360,000 秒"},
	{"no account with this e-mail address", "没有使用此邮箱的账号"},
	{"no account with this user_id", "没有与此 user_id 对应的账号"},
	{
		"you can't disable, demote, delete or reset the password of your own account here; ask another administrator",
		"不能在这里停用、降级、删除自己的账号或重置自己的密码，请让其他管理员操作",
	},
	{
		"quota must be default, none, or limits per day such as tokens=1M/d,messages=200/d",
		"quota 必须是 default、none，或每日限额，例如 tokens=1M/d,messages=200/d",
	},
	{
		"the code is wrong, used or expired, or the server has an administrator",
		"代码错误、已使用或已过期，或者服务器已有管理员",
	},
	{"wrong password", "密码错误"},
	{
		"this account has a second factor; a code of the authenticator app or a recovery code is needed",
		"此账号已开启两步验证，请输入验证器应用中的验证码或恢复码登录",
	},
	{
		"the code is wrong or was used before; wait for the next one of the authenticator app",
		"验证码错误或已使用过，请等待验证器应用显示下一个验证码",
	},
	{
		"administrators of this server need a second factor; set it up in the settings of your account first",
		"此服务器要求管理员开启两步验证，请先在账号设置中开启",
	},
	{"there is no second factor to confirm; set one up first", "没有待确认的两步验证，请先进行设置"},
	{"this server sends no mail; ask its administrator for a new password", "此服务器不发送邮件，请联系管理员重置密码"},
	{
		"the link to set a new password is wrong, used or expired; ask for a new one",
		"重置密码的链接有误、已使用或已过期，请重新获取",
	},
	{"an account with this e-mail address already exists", "此邮箱已注册"},
	{"the access token is missing, invalid or expired; log in again", "缺少访问令牌，或令牌无效、已过期，请重新登录"},
	{"the sign-in is unknown, used or expired; sign in again", "此次登录未知、已使用或已过期，请重新登录"},
	{
		"this account has no password: sign in again, and repeat this within 5 minutes",
		"此账号没有密码：请重新登录，并在 5 分钟内再次操作",
	},
	{"too many attempts; try again later", "尝试次数过多，请稍后再试"},
	{"too many requests; try again later", "请求过于频繁，请稍后再试"},
	{"your quota for today is used up", "今日额度已用完"},
	{"your quota for today is used up; it starts anew at %v UTC", "今日额度已用完，将于 %s（UTC）重新计算"},
	{
		"your replies in progress may use up the rest of your quota for today; try again when they have ended",
		"正在生成的回复可能会用完你今日剩余的额度，请等它们结束后再试",
	},
	{
		"a quota is none, or limits per day such as tokens=1M/d,messages=200/d",
		"额度必须是 none，或每日上限，例如 tokens=1M/d,messages=200/d",
	},
	{
		"the limit of a quota is a whole number from 1, such as 200, 50k or 1M",
		"额度的上限必须是不小于 1 的整数，例如 200、50k 或 1M",
	},
	{"from must not be after to", "from 不能晚于 to"},
	{"from and to must be at most 366 days apart", "from 与 to 最多相隔 366 天"},
	{"before must be the id of an entry", "before 必须是一个条目的 id"},
	{"an export of your account is in progress; try again when it has finished", "你的账号正在导出，请等导出完成后再试"},
	{"email must be at most 254 bytes long", "email 不能超过 254 字节"},
	{"email must be one plain e-mail address, such as ada@example.com", "email 必须是一个邮箱地址，例如 ada@example.com"},
	{"nickname must not contain control characters", "nickname 不能包含控制字符"},
	{"avatar must be an http or https address, or empty", "avatar 必须是 http 或 https 地址，或为空"},

	// Settings of the server.
	{
		"%s is fixed by the server's own configuration: remove %s there to change it here",
		"%s 已由服务器自身的配置固定，请先在配置中移除 %s，再在此处修改",
	},
	{
		"retention must be off, or a length of time of at least 1h, such as 90d",
		"retention 必须是 off，或不短于 1h 的时长，例如 90d",
	},
	{"instructions must not contain a NUL character", "instructions 不能包含 NUL 字符"},

	// Sessions and replies.
	{"the session does not exist", "会话不存在"},
	{"the message does not exist", "消息不存在"},
	{"the share does not exist", "分享不存在"},
	{"the prompt does not exist", "提示词不存在"},
	{"you have 200 prompts, as many as you can have; delete some first", "你已有 200 条提示词，达到上限，请先删除一些"},
	{
		"only administrators can offer a prompt to all users; leave out shared",
		"只有管理员可以向所有用户提供提示词，请省略 shared",
	},
	{"name, text or shared is required", "name、text、shared 至少需要一个"},
	{"sharing is turned off on this server", "此服务器未开启分享"},
	{
		"the session is too long to fork: a fork has at most 2,000 messages and 16 MiB of text",
		"会话过长，无法另开分支：一个分支最多 2,000 条消息、16 MiB 文字",
	},
	{"the reply is in progress; fork the session when it is complete", "回复正在生成，请在完成后再另开分支"},
	{"your last forks are being indexed; try again shortly", "你之前的分支正在建立索引，请稍后再试"},
	{"the session is temporary: it can't be shared", "这是临时对话，不能分享"},
	{"the session has no messages to share", "会话中没有可分享的消息"},
	{
		"the session is too long to share: a share has at most 2,000 messages and 4 MiB of text",
		"会话过长，无法分享：一次分享最多 2,000 条消息、4 MiB 文字",
	},
	{
		"you have as many stored responses as you can have: 10,000 or 64 MiB within 24 hours",
		"你保存的响应已达上限：24 小时内最多 10,000 个或 64 MiB",
	},
	{"you have 200 shares, as many as you can have; withdraw some first", "你已有 200 个分享，达到上限，请先撤回一些"},
	{"the turn was ended before its reply was complete", "本轮对话在回复完成之前已被终止"},
	{"the reply is still being generated", "回复仍在生成"},
	{
		"message_id must be the id of a reply; a question can't be rated",
		"message_id 必须是回复的 id，问题不能评价",
	},
	{"the session has no reply to regenerate", "会话中没有可重新生成的回复"},
	{
		"the session has as many versions of its messages as it can hold; continue in another session",
		"会话中的消息版本已达上限，请在另一个会话中继续",
	},
	{
		"the session's last reply is complete; there is nothing to continue",
		"会话的最后一条回复是完整的，没有可继续的内容",
	},
	{
		"the AI service failed before the reply was complete; its text so far is kept and can be continued",
		"AI 服务在回复完成之前出错；已生成的内容已保留，可以继续生成",
	},
	{"continue takes neither content nor replaces", "使用 continue 时不能提供 content 或 replaces"},
	{"Idempotency-Key can't be used with continue", "使用 continue 时不能提供 Idempotency-Key"},
	{"replaces must be the id of a question; a reply can be regenerated", "replaces 必须是一条提问的 id；回复可以重新生成"},
	{"version must be the number of a version of the message", "version 必须是此消息某个版本的编号"},
	{"the session is still replying to earlier messages; nothing was stored, try again", "会话仍在回复之前的消息；本次内容未保存，请重试"},
	{"the server is shutting down; nothing was stored, try again", "服务器正在关闭；本次内容未保存，请重试"},
	{"this retention deletes sessions; repeat the change with confirm: true", "此保留时间会删除对话，请将 confirm 设为 true 后再次提交"},
	{
		"this retention deletes sessions: %d, of users: %d; repeat the change with confirm: true; " +
			"nothing is deleted within the first hour",
		"此保留时间会删除 %s 个对话，属于 %s 个用户；请将 confirm 设为 true 后再次提交；第一个小时内不会删除任何内容",
	},
	{"the message could not be stored", "消息未能保存"},
	{
		"a temporary session can't be pinned or archived, and takes no expires_in",
		"临时对话不能置顶或归档，也不接受 expires_in",
	},
	{"expires_in must be 0, or from 3,600 to 315,360,000 seconds", "expires_in 必须是 0，或 3,600 至 315,360,000 秒"},
	{"content is required and must not be blank", "必须提供 content，且不能为空白"},
	{
		"content is longer than the model's context; send it in parts, or upload it as a file",
		"content 超出模型的上下文长度，请分段发送，或作为文件上传",
	},
	{
		"content and the instructions together are longer than the model's context; shorten one of them",
		"content 与自定义指令合计超出模型的上下文长度，请缩短其中之一",
	},
	{"model must be one of the names that GET /api/models lists", "model 必须是 GET /api/models 列出的名称之一"},
	{"Idempotency-Key must be given once", "Idempotency-Key 只能提供一次"},
	{"Idempotency-Key must be valid UTF-8", "Idempotency-Key 必须是有效的 UTF-8"},
	{"Idempotency-Key was used for another message", "此 Idempotency-Key 已用于另一条消息"},
	{"Last-Event-ID must be the id of an event of this reply", "Last-Event-ID 必须是此回复某个事件的 id"},
	{
		"the conversation is longer than the model can read; nothing was stored, send less or begin a new session",
		"对话超出模型能够读取的长度；本次内容未保存，请缩短内容或新建会话",
	},
	{
		"the provider of the model refuses this message by its policy; nothing was stored, rephrase it",
		"模型服务商按其政策拒绝了这条消息；本次内容未保存，请换一种说法",
	},
	{
		"this server has no balance or quota left at the provider of the model; " +
			"nothing was stored, choose another model or tell the operator",
		"此服务器在模型服务商处的余额或配额已用完；本次内容未保存，请换用其他模型或联系管理员",
	},
	{
		"the provider does not know the model; nothing was stored, choose another model or tell the operator",
		"模型服务商没有此模型；本次内容未保存，请换用其他模型或联系管理员",
	},
	{
		"the provider of the model rejects this server's key; " +
			"nothing was stored, choose another model or tell the operator",
		"模型服务商拒绝了此服务器的密钥；本次内容未保存，请换用其他模型或联系管理员",
	},
	{"the model is overloaded; nothing was stored, try again in a moment", "模型过载；本次内容未保存，请稍后重试"},
	{"the model can't be reached; nothing was stored, try again", "无法连接模型；本次内容未保存，请重试"},
	{"the AI service is unavailable; nothing was stored, try again", "AI 服务暂不可用；本次内容未保存，请重试"},
	{"the web-search service is unavailable; nothing was stored, try again", "联网搜索服务暂不可用；本次内容未保存，请重试"},
	{"web search is not set up on this server", "此服务器未配置联网搜索"},
	{
		"the reply takes longer than the time limit; it continues and will appear in the session's messages",
		"回复超出时限；它仍在生成，完成后会出现在会话的消息中",
	},

	// Favorites.
	{"the message does not exist in this session", "此会话中没有这条消息"},
	{"the session is temporary: its messages can't be favorites", "这是临时对话，其中的消息不能收藏"},
	{"the message is not among your favorites", "这条消息不在你的收藏中"},
	{"message_id differs between the query and the body", "查询参数与请求体中的 message_id 不一致"},
	{"message_id is required, in the query or in the body", "必须在查询参数或请求体中提供 message_id"},
	{"find must be valid text", "find 必须是有效的文本"},
	{"keyword must be valid text", "keyword 必须是有效的文本"},
	{"q must be valid text", "q 必须是有效的文本"},
	{"after must be next of a page", "after 必须是某一页返回的 next"},
	{"in must be a list of titles, messages and files", "in 必须是由 titles、messages 和 files 组成的列表"},

	// Files.
	{"the file can't be read", "文件无法读取"},
	{"the file could not be stored", "文件未能保存"},
	{"the file does not exist", "文件不存在"},
	{"the file is not a picture", "该文件不是图片"},
	{
		"pictures are of no use here: no model of this server sees them, and the server can't read the text in them",
		"图片在这里派不上用场：此服务器没有能看图片的模型，也无法识别图片中的文字",
	},
	{"the picture is larger than the limit of 20 MiB", "图片超过 20 MiB 的上限"},
	{"the file can't be read: the picture has more than 50 megapixels", "文件无法读取：图片超过 5000 万像素"},
	{
		"the file can't be read: no text was found in the picture, and no model of this server sees pictures",
		"文件无法读取：图片中没有找到文字，而此服务器没有能看图片的模型",
	},
	{"the file has no such page", "文件没有这一页"},
	{"the file format is not supported", "不支持此文件格式"},
	{
		"the file format is not supported; plain text, Markdown, CSV, JSON, XML, YAML, source code, HTML, PDF, " +
			"DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB, RTF, DOC, XLS, PPT, mail (EML, MSG, MHTML), notebooks (IPYNB) and " +
			"SVG are",
		"不支持此文件格式；支持纯文本、Markdown、CSV、JSON、XML、YAML、源代码、HTML、PDF、DOCX、XLSX、PPTX、ODT、ODS、ODP、" +
			"EPUB、RTF、DOC、XLS、PPT、邮件（EML、MSG、MHTML）、笔记本（IPYNB）和 SVG",
	},
	{"the file can't be read: it is empty", "文件无法读取：文件为空"},
	{"the file can't be read: its pages have no text", "文件无法读取：页面中没有文字"},
	{
		"the file can't be read: its pages are scans; to read them, the operator of this server can install Tesseract",
		"文件无法读取：页面是扫描件；要识别它们，本服务器的运营者可以安装 Tesseract",
	},
	{
		"the file can't be read: its pages are scans, and the operator of this server has turned off reading them",
		"文件无法读取：页面是扫描件，而本服务器的运营者关闭了扫描件的识别",
	},
	{"the file can't be read: it is broken", "文件无法读取：文件已损坏"},
	{"the file can't be read: it is encrypted or needs a password", "文件无法读取：文件已加密，或需要密码"},
	{"the file can't be read: it holds more text than the limit", "文件无法读取：文字超出上限"},
	{"the file can't be read: it unpacks to more than the limit", "文件无法读取：解压后的大小超出上限"},
	{"the file can't be read: it takes too long", "文件无法读取：读取耗时过长"},
	{"the file can't be read: it is broken or needs too much memory", "文件无法读取：文件已损坏，或需要过多内存"},
	{
		"the file is no export that can be imported; those of ChatGPT, Open WebUI, LibreChat and this service are, as " +
			"JSON or zip",
		"此文件不是可导入的导出文件；支持 ChatGPT、Open WebUI、LibreChat 和本服务导出的 JSON 或 zip 文件",
	},
	{"it has no question with a reply", "没有带回复的提问"},
	{"it is larger than the limit of a conversation", "超出单个对话的大小上限"},
	{"one of its messages is longer than the limit", "其中一条消息超出长度上限"},
	{"it is not a conversation in a known format", "不是已知格式的对话"},
	{
		"it was imported without its pictures (%d), files and other parts (%d)",
		"已导入，但不含其中的图片（%s）、文件和其他部分（%s）",
	},
	{"it was imported without its pictures (%d)", "已导入，但不含其中的图片（%s）"},
	{"it was imported without its files and other parts (%d)", "已导入，但不含其中的文件和其他部分（%s）"},
	{"its messages are linked in a circle", "消息之间的链接形成了循环"},
	{"it is broken, or needs too much memory or time", "内容已损坏，或需要的内存、时间过多"},
	{
		"the file can't be read to its end: it is broken after conversation %d",
		"文件无法读到末尾：在第 %s 个对话之后已损坏",
	},
	{"this file of the archive is broken", "压缩包中的这个文件已损坏"},
	{"it is already here", "已经存在"},
	{"the conversations could not be stored; try again", "对话未能保存，请重试"},
	{"the uploaded file is gone; try again", "上传的文件已不存在，请重试"},
	{
		"the address must begin with http:// or https:// and have no user, query or fragment; a key goes into api_key",
		"地址须使用 HTTP 或 HTTPS，不含用户名、查询和片段；密钥请填入 api_key",
	},
	{"api_key holds white space or another character that no key has", "api_key 含有空白或密钥中不会有的字符"},
	{"api_key is missing: this service needs one", "缺少 api_key：此服务需要密钥"},
	{"api_key is missing: the stored key can't be read any more", "缺少 api_key：已保存的密钥无法再读取"},
	{"api_key is missing: the stored key is for another address", "缺少 api_key：已保存的密钥属于另一个地址"},
	{"url is missing: the address of SearXNG", "缺少 url：SearXNG 的地址"},
	{"model must be a name of 1 to 200 characters", "model 须为 1 到 200 个字符的名称"},
	{
		"thinking must be one of auto, openai, deepseek, qwen, vllm, ollama, openrouter, effort, none",
		"thinking 须为 auto、openai、deepseek、qwen、vllm、ollama、openrouter、effort 或 none",
	},
	{"context_tokens must be 0, or at least 256", "context_tokens 须为 0，或至少 256"},
	{"description must be a line of at most 200 characters", "description 须为一行，最多 200 个字符"},
	{"name must have 1 to 200 characters", "name 须有 1 到 200 个字符"},
	{"name must have no slash, and no space around it", "name 不能含斜杠，首尾不能有空格"},
	{
		"name is that of one of the three models: use default, basic or enhanced",
		"name 是三个模型之一的名称：请用 default、basic 或 enhanced",
	},
	{"name is too much like default, basic or enhanced", "name 与 default、basic 或 enhanced 过于相似"},
	{"there are 100 added models already: remove one first", "已添加 100 个模型：请先移除一个"},
	{
		"the server's own configuration sets this: remove %s there to change it here",
		"此项由服务器自身的配置固定：要在此更改，请先在配置中去掉 %s",
	},
	{"you have no import with this import_id", "你没有 import_id 为此值的导入"},
	{"an import of yours is in progress; start another when it has ended", "你有一个导入正在进行，结束后才能开始另一个"},
	{
		"the body must be multipart/form-data with the part file, once",
		"请求体必须是 multipart/form-data，并包含一个 file 部分",
	},
	{"the file is larger than the limit", "文件大小超出上限"},
	{"the file is larger than the limit of %v", "文件大小超出 %s 的上限"},
	{"the file does not fit what you may store", "你的存储空间不足以保存此文件"},
	{
		"your files take %v of the %v that you may store, and this one does not fit; delete some first",
		"你的文件已占用 %s（上限 %s），存储空间不足以保存此文件，请先删除一些文件",
	},
	{
		"the session has as many files as it can hold; delete some, or use another session",
		"会话中的文件已达上限，请删除一些文件，或使用另一个会话",
	},
	{"too many uploads at once; try again when one has finished", "同时上传的文件过多，请等其中一个完成后再试"},
	{
		"the body must be multipart/form-data with the parts file and session_id, each once",
		"请求体必须是 multipart/form-data，并且 file 和 session_id 两个部分各出现一次",
	},
	{"Range is outside of the file; the Content-Range header has its size", "Range 超出文件范围；文件大小见 Content-Range 响应头"},
	{"the condition in If-Match or If-Unmodified-Since is not met", "不满足 If-Match 或 If-Unmodified-Since 中的条件"},

	// Inputs.
	{"an input breaks a rule", "某项输入不符合规则"},
	{"%s is required", "必须提供 %s"},
	{"%s must not be empty", "%s 不能为空"},
	{"%s must not be blank", "%s 不能为空白"},
	{"%s must be a string", "%s 必须是字符串"},
	{"%s must be true or false", "%s 必须是 true 或 false"},
	{"%s must be a whole number", "%s 必须是整数"},
	{"%s must be a JSON object", "%s 必须是 JSON 对象"},
	{"%s must be a list", "%s 必须是列表"},
	{"%s must have at least %d entries", "%s 至少要有 %s 项"},
	{"%s must be at least %d", "%s 不能小于 %s"},
	{"%s must be at most %d", "%s 不能大于 %s"},
	{"%s must be at least %d characters long", "%s 不能少于 %s 个字符"},
	{"%s must be at most %d characters long", "%s 不能超过 %s 个字符"},
	{"%s must be one of %v", "%s 必须是以下值之一：%s"},
	{"request body is required", "必须提供请求体"},
	{"the body must be JSON", "请求体必须是 JSON"},
	{"the body must be a JSON object", "请求体必须是 JSON 对象"},
	{"the body is not one valid JSON document", "请求体不是一个有效的 JSON 文档"},
	{"the body holds text that is not valid Unicode", "请求体中含有无效的 Unicode 文本"},
	{"the request body took too long to arrive", "请求体传输耗时过长"},
	{
		"the file came too slowly; it has to come within 2 hours, at 64 KiB per second or more, without a pause of 30 s",
		"文件传输过慢；须在 2 小时内传完，平均速度不低于每秒 64 KiB，且停顿不超过 30 秒",
	},
	{"the request body breaks off, stalls or is not valid HTTP", "请求体中断、停滞，或不是有效的 HTTP"},
	{"the request body is larger than 2 MiB", "请求体超过 2 MiB"},
	{"the request body is larger than 16 KiB", "请求体超过 16 KiB"},
	{"compressed request bodies are not supported; send it uncompressed", "不支持压缩的请求体，请发送未压缩的内容"},
	{"the query string has an invalid escape; write %25 for a percent sign", "查询字符串中有无效的转义；百分号请写作 %25"},

	// Requests.
	{"no such path; /openapi.json lists all paths", "路径不存在；/openapi.json 列出了所有路径"},
	{"the path does not support this method; see the Allow header", "此路径不支持该方法，请查看 Allow 响应头"},
	{"internal server error", "服务器内部错误"},
	{"the server is busy; try again shortly", "服务器繁忙，请稍后再试"},
	{"the request took longer than the time limit", "请求超出时限"},
	{"too many of your requests are in progress; try again when one has ended", "你有过多的请求正在处理，请等其中一个结束后再试"},
}
