package api_test

import (
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/client"
)

func TestSettings(t *testing.T) {
	shared(t, []part{
		{"registration is closed and opened", registrationIsClosedAndOpened},
		{"sharing is turned off", sharingIsTurnedOff},
		{"a quota holds from now on", aQuotaHoldsFromNowOn},
		{"instructions go with the next question", instructionsGoWithTheNextQuestion},
		{"a bad setting changes nothing", aBadSettingChangesNothing},
		{"changes are audited without their values", changesAreAuditedWithoutTheirValues},
	})
}

// set changes settings and returns all settings.
func (w *world) set(admin *client.Client, in parley.SettingsInput) parley.SettingsOutput {
	w.Helper()
	out, err := admin.UpdateSettings(w.Context(), in)
	w.must(err)
	return out
}

// reset sets all settings back to their defaults.
func (w *world) reset(admin *client.Client) {
	w.Helper()
	w.set(admin, parley.SettingsInput{Reset: parley.SettingNames()})
}

func registrationIsClosedAndOpened(w *world) {
	admin := w.admin("ada")
	if out := w.set(admin, parley.SettingsInput{Registration: new(false)}); out.Registration {
		w.Errorf("the settings are %+v", out)
	}
	register := func(name string) error {
		_, err := w.guest().Register(w.Context(), parley.RegisterInput{Email: w.address(name), Password: "password"})
		return err
	}
	w.wants(register("eve"), parley.CodeInvalidParameter, 403)
	w.reset(admin)
	w.must(register("eve"))
}

func sharingIsTurnedOff(w *world) {
	ctx, admin, ada := w.Context(), w.admin("root"), w.user("ada")
	session := w.session(ada, "")
	w.say(ada, session, "Hello")
	share, err := ada.Share(ctx, session, parley.ShareInput{})
	w.must(err)
	w.set(admin, parley.SettingsInput{Sharing: new(false)})
	_, err = ada.Share(ctx, session, parley.ShareInput{})
	w.wants(err, parley.CodeInvalidParameter, 403)
	_, err = w.guest().ReadShare(ctx, share.ShareID)
	w.wants(err, parley.CodeNoSuchSession, 404)
	w.reset(admin)
	_, err = w.guest().ReadShare(ctx, share.ShareID)
	w.must(err)
}

func aQuotaHoldsFromNowOn(w *world) {
	ctx, admin, ada := w.Context(), w.admin("root"), w.user("ada")
	session := w.session(ada, "")
	w.say(ada, session, "One")
	w.set(admin, parley.SettingsInput{Quota: new("messages=2/d")})
	w.say(ada, session, "Two")
	_, err := ada.Send(ctx, parley.SendInput{SessionID: session, Content: "Three"})
	w.wants(err, parley.CodeTooManyAttempts, 429)
	out, err := ada.Usage(ctx, parley.UsageInput{})
	w.must(err)
	if out.Quota == nil || out.Quota.Messages.Limit != 2 || out.Quota.Messages.Left != 0 {
		w.Errorf("the quota is %+v", out.Quota)
	}
	w.reset(admin)
	w.say(ada, session, "Three")
}

func instructionsGoWithTheNextQuestion(w *world) {
	admin, ada := w.admin("root"), w.user("ada")
	session := w.session(ada, "")
	const text = "Answer like a sailor."
	w.set(admin, parley.SettingsInput{Instructions: new(text)})
	w.say(ada, session, "Hello")
	if first := w.Model.Last(w.T).Messages[0]; first.Role != "system" || !strings.HasPrefix(first.Content, text) {
		w.Errorf("the prompt begins with %+v", first)
	}
	w.reset(admin)
	w.say(ada, session, "Hello again")
	if first := w.Model.Last(w.T).Messages[0]; strings.Contains(first.Content, text) {
		w.Errorf("afterwards the prompt begins with %+v", first)
	}
}

func aBadSettingChangesNothing(w *world) {
	ctx, admin := w.Context(), w.admin("root")
	before, err := admin.Settings(ctx)
	w.must(err)
	for body, says := range map[string]string{
		`{"registration": false, "quota": "lots"}`:          "a quota is none, or limits per day",
		`{"registration": false, "quota": ""}`:              "a quota is none, or limits per day",
		`{"quota": "messages=1/d", "retention": "5m"}`:      "at least 1h",
		`{"quota": "messages=1/d", "retention": "forever"}`: "at least 1h",
		`{"sharing": false, "registration": "closed"}`:      "registration must be true or false",
		`{"sharing": false, "instructions": "` + strings.Repeat("x", parley.MaxServerInstructions+1) + `"}`: "instructions " +
			"must be at most 16000 characters long",
	} {
		got := w.request("PATCH", "/api/admin/settings", body, as(admin), "Content-Type: application/json")
		if got.StatusCode != 400 || got.code() != parley.CodeInvalidParameter || !strings.Contains(got.text, says) {
			w.Errorf("%.60s: HTTP %d, %s", body, got.StatusCode, got.text)
		}
	}
	after, err := admin.Settings(ctx)
	if err != nil || after.Quota != before.Quota || !after.Registration || !after.Sharing || after.Retention != "" {
		w.Errorf("the settings are %+v, %v", after, err)
	}
}

func changesAreAuditedWithoutTheirValues(w *world) {
	admin := w.admin("root")
	earlier := strings.Count(w.Log.String(), "audit=operator-setting ")
	secret := new("Keep this to yourself.")
	w.set(admin, parley.SettingsInput{Instructions: secret, Sharing: new(false)})
	w.set(admin, parley.SettingsInput{Instructions: secret}) // no change
	log := w.Log.String()
	if n := strings.Count(log, "audit=operator-setting ") - earlier; n != 2 || strings.Contains(log, *secret) {
		w.Errorf("%d entries in\n%s", n, log)
	}
	w.reset(admin)
}

func TestAFixedSettingStays(t *testing.T) {
	eachWith(t, func(w *world) {
		w.Settings.Quota, w.Fixed = parley.Quota{Messages: 7}, []string{parley.SettingQuota}
	}, func(w *world) {
		ctx, admin := w.Context(), w.admin("root")
		for _, in := range []parley.SettingsInput{
			{Quota: new("none"), Sharing: new(false)}, {Reset: []string{parley.SettingQuota}, Sharing: new(false)},
		} {
			_, err := admin.UpdateSettings(ctx, in)
			w.wants(err, parley.CodeInvalidParameter, 400)
			if !strings.Contains(err.Error(), "PARLEY_QUOTA") {
				w.Errorf("it says %v", err)
			}
		}
		out, err := admin.Settings(ctx)
		if err != nil || out.Quota != "messages=7/d" || !out.Sharing || !slices.Equal(out.Fixed, []string{"quota"}) {
			w.Errorf("the settings are %+v, %v", out, err)
		}
	})
}

func TestSettingsOutliveARestart(t *testing.T) {
	each(t, func(w *world) {
		admin := w.admin("root")
		w.set(admin, parley.SettingsInput{Retention: new("30d")})
		w.restart()
		out, err := w.again(admin).Settings(w.Context())
		if err != nil || out.Retention != "720h" || len(out.Fixed) != 0 {
			w.Errorf("the settings are %+v, %v", out, err)
		}
	})
}

func TestSettingsChangeOnAllReplicas(t *testing.T) {
	a, b := replicas(t)
	admin := a.admin("root")
	a.set(admin, parley.SettingsInput{Registration: new(false)})
	b.eventually("registration is closed there too", func() bool {
		_, err := b.guest().Register(b.Context(), parley.RegisterInput{Email: a.address("root"), Password: "password"})
		return err != nil && strings.Contains(err.Error(), "closed")
	})
	out, err := b.again(admin).Settings(b.Context())
	if err != nil || out.Registration {
		b.Errorf("the settings there are %+v, %v", out, err)
	}
}
