package extract

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"
)

// sentences are what people write, each in encodings that its language has had.
var sentences = []struct {
	language, charsets, long, short string
}{
	{
		"French", "WINDOWS-1252 ISO-8859-1 ISO-8859-15 MACINTOSH CP850",
		"L'été dernier, nous avons mangé des crêpes près de la forêt où les élèves jouaient. " +
			"Le garçon a déjà reçu sa clé; à bientôt!", "café brûlé",
	},
	{
		"German", "WINDOWS-1252 ISO-8859-1 CP850",
		"Die Brücke über den Fluß ist für größere Lastwagen gesperrt. Bitte prüfen Sie die Maße " +
			"vor der Abfahrt; Änderungen sind möglich.", "Grüße aus München",
	},
	{
		"Spanish", "WINDOWS-1252 ISO-8859-1",
		"El niño preguntó: ¿qué vale el billete para mañana? La señora respondió que según " +
			"el horario había plazas todavía.", "¿Qué día es mañana?",
	},
	{
		"Portuguese", "WINDOWS-1252 ISO-8859-1",
		"A decisão da comissão não foi fácil: as condições são difíceis, mas a solução virá até amanhã.",
		"informação técnica",
	},
	{
		"Swedish", "WINDOWS-1252 ISO-8859-1",
		"På söndag åker vi båt över sjön för att hälsa på våra vänner i Västerås.", "räksmörgås",
	},
	{
		"Danish", "WINDOWS-1252",
		"Færgen går fra øen klokken ni, og børn under fire år rejser gratis på dækket.", "smørrebrød på øen",
	},
	{
		"Polish", "WINDOWS-1250 ISO-8859-2",
		"Pierwszy prom na wyspę odpływa o dziewiątej rano. Dzieci poniżej czterech lat płyną za darmo, " +
			"proszę pokazać źródło.", "zażółć gęślą jaźń",
	},
	{
		"Czech", "WINDOWS-1250 ISO-8859-2",
		"První trajekt na ostrov odjíždí v devět hodin ráno. Děti do čtyř let cestují zdarma, prosím " +
			"přečtěte si následující řádky.", "příliš žluťoučký kůň",
	},
	{
		"Hungarian", "WINDOWS-1250 ISO-8859-2",
		"Az első komp reggel kilenckor indul a szigetre. Négy éven aluli gyermekek ingyen utazhatnak, " +
			"kérjük őrizze meg a jegyét.", "árvíztűrő tükörfúrógép",
	},
	{
		"Russian", "WINDOWS-1251 KOI8-R ISO-8859-5 CP866 MAC-CYRILLIC",
		"Первый паром на остров отправляется в девять часов утра. Дети до четырёх лет едут бесплатно, " +
			"остальным нужен билет.", "Привет, мир",
	},
	{
		"Ukrainian", "WINDOWS-1251 KOI8-U",
		"Перший пором на острів відпливає о дев'ятій ранку. Діти до чотирьох років їдуть безкоштовно, " +
			"будь ласка, майте квиток.", "Доброго ранку",
	},
	{
		"Bulgarian", "WINDOWS-1251",
		"Първият ферибот за острова тръгва в девет часа сутринта. Децата пътуват безплатно.", "Добър ден",
	},
	{
		"Greek", "WINDOWS-1253 ISO-8859-7",
		"Το πρώτο πλοίο για το νησί φεύγει στις εννέα το πρωί. Τα παιδιά κάτω των τεσσάρων ταξιδεύουν δωρεάν.",
		"Καλημέρα κόσμε",
	},
	{
		"Turkish", "WINDOWS-1254 ISO-8859-9",
		"Adaya ilk feribot sabah dokuzda kalkıyor. Dört yaşından küçük çocuklar ücretsizdir, lütfen " +
			"bilet gişesine başvurun; değişiklik olabilir.", "güneşli bir gün ışığı",
	},
	{
		"Hebrew", "WINDOWS-1255 ISO-8859-8",
		"המעבורת הראשונה אל האי יוצאת בתשע בבוקר. ילדים מתחת לגיל ארבע נוסעים חינם.", "שלום עולם",
	},
	{
		"Arabic", "WINDOWS-1256 ISO-8859-6",
		"تغادر العبارة الأولى إلى الجزيرة في الساعة التاسعة صباحا. الأطفال دون الرابعة يسافرون مجانا.", "صباح الخير",
	},
	{
		"Lithuanian", "WINDOWS-1257",
		"Pirmasis keltas į salą išplaukia devintą valandą ryto. Vaikai iki ketverių metų keliauja nemokamai, " +
			"prašome turėti bilietą.", "ačiū už šį žodį",
	},
	{
		"Latvian", "WINDOWS-1257",
		"Pirmais prāmis uz salu atiet deviņos no rīta. Bērni līdz četru gadu vecumam brauc bez maksas, " +
			"lūdzu saglabājiet biļeti.", "paldies par šo ēdienu",
	},
	{"Thai", "CP874", "เรือเฟอร์รี่เที่ยวแรกไปเกาะออกเวลาเก้าโมงเช้า เด็กอายุต่ำกว่าสี่ปีเดินทางฟรี", "สวัสดีชาวโลก"},
	{
		"Japanese", "SHIFT_JIS EUC-JP ISO-2022-JP UTF-16LE",
		"島へ行く最初のフェリーは午前九時に出発します。四歳未満のお子様は無料です。切符をお持ちください。", "おはようございます",
	},
	{
		"Korean", "EUC-KR CP949 ISO-2022-KR UTF-16BE",
		"섬으로 가는 첫 번째 배는 오전 아홉 시에 출발합니다. 네 살 미만의 어린이는 무료입니다.", "안녕하세요 세계",
	},
	{
		"Traditional Chinese", "BIG5 UTF-16BE",
		"前往島上的第一班渡輪早上九點出發。四歲以下的兒童免費，其他乘客請先購買船票，謝謝您的合作。", "早安，歡迎光臨",
	},
	{
		"Chinese", "GBK GB18030 UTF-16LE UTF-32BE HZ",
		"前往岛上的第一班渡轮早上九点出发。四岁以下的儿童免费，其他乘客请先购买船票，谢谢您的合作。", "你好，世界",
	},
	{
		"English", "UTF-16LE UTF-16BE UTF-32LE UTF-32BE",
		"The first ferry to the island leaves at nine in the morning.", "Good morning",
	},
}

// inIconv encodes a text by the program iconv. It fails the test if the program is missing.
func inIconv(t *testing.T, charset, text string) []byte {
	t.Helper()
	if charset == "HZ" { // which few versions of iconv have
		encoded, err := simplifiedchinese.HZGB2312.NewEncoder().Bytes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	encode := exec.CommandContext(t.Context(), "iconv", "-f", "UTF-8", "-t", charset)
	encode.Stdin = strings.NewReader(text)
	encoded, err := encode.Output()
	if err != nil {
		t.Fatalf("%s %.40q: %v", charset, text, err)
	}
	return encoded
}

func TestUndeclaredEncodingsAreFound(t *testing.T) {
	files, right := 0, 0
	for _, s := range sentences {
		for charset := range strings.FieldsSeq(s.charsets) {
			for form, text := range map[string]string{
				"long":  s.long + "\r\n\r\n" + s.long + "\r\n",
				"short": s.short,
				"table": "id,text,price\r\n1," + s.short + ",23.50\r\n2," + strings.ReplaceAll(s.long, ", ", " ") + ",7\r\n",
				"code":  "// " + s.short + "\nfunc main() {\n\tprint(1) // " + s.short + "\n}\n",
			} {
				files++
				document, err := reader.Read(t.Context(), inIconv(t, charset, text), "a.txt")
				if want := strings.ReplaceAll(text, "\r\n", "\n"); err != nil || document.Text != want {
					t.Logf("%s in %s, %s: got %.60q, %v", s.language, charset, form, document.Text, err)
					continue
				}
				right++
			}
		}
	}
	t.Logf("%d of %d files are right", right, files)
	if files < 122 || right*122 < files*105 {
		t.Errorf("%d of %d files are right, want 105 of 122", right, files)
	}
}

// shortChinese are texts of a few characters, which fool detectors.
var shortChinese = strings.Fields(`你好 多谢 会议记录 渡轮时刻表 姓名,年龄,城市 张三,25,北京 合同 发票 报价单 项目计划 周报 目录 说明 测试
	中文 上海 北京市 广州 产品名称 价格表 联系人 电话:13800000000 地址 备注 附件一 第一章 摘要 总结 请查收 已完成 待办事项 数据分析 用户手册
	安装说明 错误信息 登录失败 密码 网络连接 更新日志 版本1.0 下载地址 早上好 生日快乐 新年快乐 请假条 工资表 考勤 简历 通知 公告 试卷 作业
	课程表 成绩单 医院 银行账户 税率 小猫 灯塔看守人 春眠不觉晓，处处闻啼鸟。 床前明月光 我们明天九点出发`)

func TestNoShortChineseTextIsLost(t *testing.T) {
	if len(shortChinese) < 60 {
		t.Fatalf("%d texts", len(shortChinese))
	}
	for i, text := range shortChinese {
		charset := []string{"GBK", "GB18030"}[i%2]
		document, err := reader.Read(t.Context(), inIconv(t, charset, text), "a.txt")
		if err != nil || document.Text != text {
			t.Errorf("%s in %s: got %q, %v", text, charset, document.Text, err)
		}
	}
}

func TestALateDeclarationCounts(t *testing.T) {
	const page = `<!DOCTYPE html><html><head><title>x</title><script>%s</script>` +
		`<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"></head><body><p>Ж</p></body></html>`
	content := inIconv(t, "WINDOWS-1251", fmt.Sprintf(page, strings.Repeat("a();\n", 3000)))
	document, err := reader.Read(t.Context(), content, "page.html")
	if err != nil || !strings.Contains(document.Text, "Ж") {
		t.Errorf("got %q, %v", document.Text, err)
	}
}

func TestADeclarationHoldsDespiteABrokenByte(t *testing.T) {
	text := "<?xml version=\"1.0\" encoding=\"Shift_JIS\"?><a>" + strings.Repeat("テスト文書です。", 20) + "</a>"
	content := append(inIconv(t, "SHIFT_JIS", text), 0xff, '\n')
	document, err := reader.Read(t.Context(), content, "a.xml")
	if err != nil || !strings.HasPrefix(document.Text, text) {
		t.Errorf("got %.80q, %v", document.Text, err)
	}
}

func TestEscapesOfATerminalAreNoEncoding(t *testing.T) {
	for _, text := range []string{"\x1b[31mred\x1b[0m", "a ~{x} b ~} c", "#define X ~{0} ~}"} {
		document, err := reader.Read(t.Context(), []byte(text), "a.txt")
		if want := strings.ReplaceAll(text, "\x1b", ""); err != nil || document.Text != want {
			t.Errorf("%q: got %q, %v", text, document.Text, err)
		}
	}
}
