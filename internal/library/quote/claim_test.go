package quote_test

import (
	"testing"

	"parley/internal/library/quote"
)

// The texts that the replies of cases quote.
const (
	contract = "Article 4.2 The tenant shall not sublet the premises without\nthe prior written consent of the landlord." +
		" The deposit is 1.5 months’ rent and is returned within thirty days of the end of the lease. Either party may " +
		"terminate this agree-\nment with three months' notice – in writing.\n\n" +
		"The landlord keeps the roof, the stairs and the heating in\n\n12\nLease of 3 May\n\ngood repair at its own cost.\n"
	chinese = "第三条　甲方应于每月五日前向乙方支付租金，\n逾期超过十五日的，乙方有权解除合同。第四条　本合同自双方签字之日起生效，有效期三年。"
)

// cases are replies with one quote each. The quote of an invented one is in no text.
var cases = []struct {
	reply    string
	invented bool
}{
	// True quotes, with the changes that models make.
	{`contract.txt says "The tenant shall not sublet the premises".`, false},
	{`contract.txt: “the tenant shall not sublet the premises without the prior written consent of the landlord”`, false},
	{`In contract.txt: «THE TENANT SHALL NOT SUBLET THE PREMISES»`, false},
	{`In contract.txt: „The tenant shall not sublet the premises“`, false},
	{`contract.txt: "The **tenant** shall *not* sublet the premises"`, false},
	{`contract.txt: "The tenant shall not sublet … consent of the landlord"`, false},
	{`contract.txt: "The tenant shall not sublet the premises ... consent of the landlord"`, false},
	{`contract.txt: "[The lessee] shall not sublet the premises without the prior written consent"`, false},
	{`contract.txt: "The deposit is 1.5 months' rent and is returned"`, false},
	{`contract.txt: "The deposit is 1.5 months rent, and is returned within thirty days"`, false},
	{`contract.txt: "terminate this agreement with three months’ notice - in writing"`, false},
	{`contract.txt: "Either party may terminate this agreement"`, false},
	{`contract.txt: "the heating in good repair at its own cost"`, false},
	{`contract.txt: "The landlord keeps the roof, the stairs and the heating in good repair"`, false},
	{`The contract states: "returned within thirty days of the end of the lease"`, false},
	{"As contract.txt has it:\n\n> The deposit is 1.5 months' rent and is returned\n> within thirty days", false},
	{"contract.txt:\n\n> “Either party may terminate this agreement with three months' notice”", false},
	{`合同规定：「甲方应于每月五日前向乙方支付租金」`, false},
	{`zh.txt 写道：“逾期超过十五日的，乙方有权解除合同”`, false},
	{`zh.txt：“甲方应于每月五日前向乙方支付租金,逾期超过十五日的”`, false},
	{`zh.txt：『本合同自双方签字之日起生效』`, false},
	{`zh.txt：“本合同自双方签字之日起生效……有效期三年”`, false},
	{"zh.txt 的原文：\n\n> 第四条 本合同自双方签字之日起生效，有效期三年。", false},
	{`The fee is in the search result: "takes fifty minutes from Naples" [1]`, false},
	// Translations, paraphrases, proposals and other things in quotation marks.
	{`contract.txt sagt: „Der Mieter darf die Räume nicht ohne Zustimmung untervermieten“`, false},
	{`contract.txt dit : « Le locataire ne peut pas sous-louer les lieux sans accord »`, false},
	{`contract.txt 规定：“承租人未经出租人书面同意不得转租房屋”（翻译）`, false},
	{`zh.txt says "Party A pays the rent before the fifth of each month" (translated).`, false},
	{`You could write in contract.txt: "The tenant may sublet one room to a student".`, false},
	{`I suggest to change contract.txt to "The tenant may sublet one room to a student".`, false},
	{`contract.txt does not say "The tenant may keep two cats and a dog in the flat".`, false},
	{`contract.txt has nothing for example like "The tenant may keep two cats and a dog".`, false},
	{`建议把 zh.txt 改为“甲方应于每月十日前支付全部租金”。`, false},
	{`zh.txt 没有提到“乙方可以饲养宠物或者转租他人”。`, false},
	{`My favorite saying is "A stitch in time saves nine of them".`, false},
	{"In contract.txt there is code: `\"the tenant has two cats and a dog\"`", false},
	{"contract.txt:\n\n```\nsay \"the tenant has two cats and a dog\"\n```", false},
	{`contract.txt has the word "deposit".`, false},
	{`You asked "does contract.txt let me keep a cat in the flat" in your message.`, false},
	{`contract.txt, in other words: "no one else may live in your flat unless they agree"`, false},
	// Invented quotes.
	{`contract.txt says "The tenant may sublet one room of the premises".`, true},
	{`contract.txt says “The tenant shall sublet the premises without the prior written consent”`, true},
	{`contract.txt: "The deposit is 15 months' rent and is returned"`, true},
	{`contract.txt: "The deposit is 2.5 months' rent and is returned within thirty days"`, true},
	{`contract.txt: "is returned within sixty days of the end of the lease"`, true},
	{`contract.txt: "Either party may terminate this agreement with six months' notice"`, true},
	{`contract.txt: "The landlord keeps the garden and the garage in good repair"`, true},
	{`contract.txt: "The tenant shall not sublet … without the consent of the neighbors"`, true},
	{`The contract states: "the tenant is to paint the walls of the premises at the end"`, true},
	{`The agreement clearly says "the rent is to be paid on the first of the month".`, true},
	{"As contract.txt has it:\n\n> The tenant shall keep no pets of the larger kind in the premises.", true},
	{"contract.txt:\n\n> “The landlord may enter the premises with one day of notice”", true},
	{`合同规定：「乙方应于每月十日前向甲方支付租金」`, true},
	{`zh.txt 写道：“逾期超过三十日的，乙方有权解除合同”`, true},
	{`zh.txt：“本合同有效期五年，自动续期一次”`, true},
	{`zh.txt：『甲方不得将房屋转租给第三人』`, true},
	{"zh.txt 的原文：\n\n> 第五条 争议由甲方所在地人民法院管辖。", true},
	{`The page says "the ferry from Naples takes two hours in the winter" [1]`, true},
	{`According to the search, "the boat takes ten minutes from Naples to Capri" [1].`, true},
	{`contract.txt (page 2): “the heating in good repair at the cost of the tenant”`, true},
}

// TestQuotesThatAreNotThereAreFound measures the check. A false alarm is worse than a miss.
func TestQuotesThatAreNotThereAreFound(t *testing.T) {
	hits, alarms, invented := 0, 0, 0
	for _, c := range cases {
		missing := isMissing(t, c.reply)
		switch {
		case c.invented && missing:
			hits++
		case missing:
			alarms++
			t.Errorf("a false alarm: %s", c.reply)
		case c.invented:
			t.Logf("missed: %s", c.reply)
		}
		if c.invented {
			invented++
		}
	}
	t.Logf("%d cases: precision %d/%d, recall %d/%d", len(cases), hits, hits+alarms, hits, invented)
	if 10*hits < 9*invented {
		t.Errorf("only %d of %d invented quotes were found", hits, invented)
	}
}

// isMissing reports whether a reply has a quote that no text contains.
func isMissing(t *testing.T, reply string) bool {
	t.Helper()
	found, err := quote.Find(t.Context(), reply, []string{"contract.txt", "zh.txt"})
	if err != nil {
		t.Fatal(err)
	}
	search := quote.NewSearch(found)
	for _, text := range []string{
		contract, chinese, "does contract.txt let me keep a cat in the flat",
		"The ferry takes fifty minutes from Naples to Capri. The boat is in the harbor by nine.",
	} {
		if err := search.Add(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	return len(search.Missing()) > 0
}
