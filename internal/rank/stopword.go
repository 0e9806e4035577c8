package rank

import "strings"

// stopWords are words of English, German, French and Spanish that mean little in a question, without accents. Words
// that mean something else in another of these languages, such as "die", "mit", "pour" and "sin", are not included.
var stopWords = set(`
a an the this that these those there here
and or but nor so than then as if of to in on at by for from with without about into onto over under between
i me my mine we us our you your he him his she her hers it its they them their
is are was were be been being am do does did done doing has have had having
will would shall should can could may might must
not no yes any some each every all both either other such only just also too very more most much many
what which who whom whose when where why how
s t d ll re ve m don doesn didn isn aren wasn weren couldn wouldn shouldn haven hasn
please tell show give let say said know want need help find look get explain describe mean
hello hi hey thank thanks okay ok good morning evening
file document doc attachment attached upload uploaded text passage page content
something anything thing

das dem des ein eine einen einem einer eines und oder aber nicht ich wir ihr sie mein meine sein seine ihre unser
unsere ist sind waren wird werden wurde wurden haben hatte hatten kann konnen muss mussen soll sollen wie wo wann
warum wer wen wem welche welcher welches welchen welchem viel viele von zu zum zur auf aus bei nach im vom als auch
noch bitte gibt

le les une du de et ou mais ne pas est sont etait il elle ils elles nous vous je tu ma mes sa ses leur leurs notre
votre ce cet cette ces ont que qui quoi quel quelle quels quelles pourquoi combien avec sans dans sur qu aux

el los las una unos unas y del al en por para es fue eran ser esta estan han habia que quien quienes cual cuales
cuando donde como cuanto cuanta cuantos cuantas se su sus mi mis lo yo ella ellos ellas este estos estas
`)

// stopPhrases and stopCharacters are the stop words of Chinese. Phrases are removed first,
// longer ones before shorter ones. Characters that are part of many other words, such as
// 都 and 会, are not included.
var (
	stopPhrases = strings.Fields(`
为什么 為什麼 是什么 是什麼 有没有 有沒有 是不是 能不能 可不可以 告诉我 告訴我 什么时候 什麼時候
什么 什麼 怎么样 怎麼樣 怎么 怎麼 怎样 怎樣 如何 为何 為何 哪里 哪裡 哪天 哪年 何时 何時 多久 多大 多长 几号 哪儿 哪个 哪個 哪些 多少 几点 幾點
请问 請問 告诉 告訴 帮我 幫我 一下 这个 這個 那个 那個 这些 這些 那些 我们 我們 你们 你們 他们 他們
是否 可以 能否 关于 關於 里面 裡面 文件 文档 文檔 附件 资料 資料 上传 上傳 内容 內容 你好 您好 谢谢 謝謝
知道 介绍 介紹 解释 解釋 说明 說明 一个 一個
`)
	stopCharacters = "的了吗嗎呢吧啊呀是在和与與及我你您他她它这這那哪谁誰么麼几幾请請就也"
)

func set(words string) map[string]bool {
	all := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		all[normalize(word)] = true
	}
	return all
}
