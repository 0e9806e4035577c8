package admin

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/store/storetest"
)

// service returns Settings on a store, with defaults that can be told from stored values.
func service(t *testing.T, database *store.Store, fixed ...string) *Settings {
	t.Helper()
	given := parley.DefaultSettings()
	given.Quota = parley.Quota{Messages: 5}
	s := NewSettings(SettingsConfig{
		Store: database, Log: slog.New(slog.DiscardHandler), Given: given, Fixed: fixed, Now: time.Now,
	})
	load(t, s)
	return s
}

func load(t *testing.T, s *Settings) {
	t.Helper()
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// change makes changes of the form "name=text", or "name" for the default.
func change(t *testing.T, s *Settings, changes ...string) ([]string, error) {
	t.Helper()
	texts := map[string]*string{}
	for _, c := range changes {
		name, text, given := strings.Cut(c, "=")
		texts[name] = nil
		if given {
			texts[name] = &text
		}
	}
	return s.Change(t.Context(), texts, false)
}

func mustChange(t *testing.T, s *Settings, changes ...string) []string {
	t.Helper()
	changed, err := change(t, s, changes...)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func TestAChangeIsInForceAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		database := storetest.Open(t, t.TempDir(), url)
		s := service(t, database)
		changed := mustChange(t, s,
			"registration=closed", "sharing=off", "quota=messages=3/d", "retention=30d", "instructions=Be kind.")
		want := parley.Settings{
			Quota: parley.Quota{Messages: 3}, Retention: 720 * time.Hour, Instructions: "Be kind.",
		}
		if got := s.Current(); got != want || len(changed) != 5 {
			t.Errorf("%v were changed to %+v", changed, got)
		}
		if again := service(t, database).Current(); again != want {
			t.Errorf("after a restart they are %+v", again)
		}
		changed = mustChange(t, s, "quota", "sharing", "registration=closed")
		want.Quota, want.Sharing = parley.Quota{Messages: 5}, true
		if got := s.Current(); got != want || !slices.Equal(changed, []string{"quota", "sharing"}) {
			t.Errorf("%v went back to their defaults: %+v", changed, got)
		}
	})
}

func TestABadChangeChangesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		s := service(t, storetest.Open(t, t.TempDir(), url), parley.SettingSharing)
		before := s.Current()
		for _, test := range []struct{ change, says string }{
			{"registration=yes", "open, closed"},
			{"quota=3", "tokens=1M/d"},
			{"quota=messages=0/d", "whole number"},
			{"retention=1m", "at least 1h"},
			{"instructions=" + strings.Repeat("文", parley.MaxServerInstructions+1), "16000"},
			{"sharing=off", "PARLEY_SHARING"},
			{"sharing", "PARLEY_SHARING"},
		} {
			changes := []string{test.change, "quota=none", "registration=closed", "retention=2h", "instructions=x"}
			name, _, _ := strings.Cut(test.change, "=")
			changes = slices.DeleteFunc(changes, func(c string) bool {
				return c != test.change && strings.HasPrefix(c, name+"=")
			})
			_, err := change(t, s, changes...)
			if !errors.Is(err, parley.ErrInvalid) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: %v", test.change, err)
			}
		}
		load(t, s)
		if got := s.Current(); got != before {
			t.Errorf("the settings are %+v", got)
		}
		mustChange(t, s, "instructions="+strings.Repeat("文", parley.MaxServerInstructions))
	})
}

func TestWhatIsFixedWins(t *testing.T) {
	storetest.Each(t, func(t *testing.T, url string) {
		database := storetest.Open(t, t.TempDir(), url)
		mustChange(t, service(t, database), "quota=messages=3/d", "registration=closed")
		s := service(t, database, parley.SettingQuota)
		if got := s.Current(); got.Quota.Messages != 5 || got.Registration {
			t.Errorf("the settings are %+v", got)
		}
		want := []Setting{
			{Name: "registration", Text: "closed", From: FromDatabase},
			{Name: "sharing", Text: "on", From: FromDefault},
			{Name: "quota", Text: "messages=5/d", From: FromConfiguration, Ignored: true},
			{Name: "retention", Text: "off", From: FromDefault},
			{Name: "instructions", Text: "", From: FromDefault},
		}
		if got := s.All(); !slices.Equal(got, want) {
			t.Errorf("the entries are %+v", got)
		}
		out, err := s.Show(t.Context())
		if err != nil || !slices.Equal(out.Fixed, []string{"quota"}) || out.Quota != "messages=5/d" || out.Retention != "" {
			t.Errorf("shown are %+v, %v", out, err)
		}
	})
}

// TestAStoredSettingOfAnotherReleaseIsIgnored stores texts that this release does not know.
func TestAStoredSettingOfAnotherReleaseIsIgnored(t *testing.T) {
	database := storetest.Open(t, t.TempDir(), "")
	_, err := database.ChangeSettings(t.Context(), []store.SettingChange{{Name: "quota", Text: new("words=3/d")}})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s := NewSettings(SettingsConfig{
		Store: database, Log: slog.New(slog.NewTextHandler(&log, nil)), Given: parley.DefaultSettings(),
		Now: time.Now,
	})
	for range 3 {
		load(t, s)
	}
	if s.Current() != parley.DefaultSettings() || strings.Count(log.String(), "name=quota") != 1 {
		t.Errorf("the settings are %+v, the log is\n%s", s.Current(), &log)
	}
	mustChange(t, s, "quota=none")
	if all := s.All(); all[2].Ignored || all[2].From != FromDatabase {
		t.Errorf("replaced, it is %+v", all[2])
	}
}

func TestAChangeReachesOtherReplicas(t *testing.T) {
	url := storetest.Postgres(t)
	here, there := storetest.Open(t, t.TempDir(), url), storetest.Open(t, t.TempDir(), url)
	s, other := service(t, here), service(t, there)
	ctx, cancel := context.WithCancel(t.Context())
	handled, ended := make(chan struct{}), make(chan struct{})
	listener := there.Listener(slog.New(slog.DiscardHandler), func(signal store.Signal) {
		other.HandleSignal(ctx, signal)
		select {
		case handled <- struct{}{}:
		case <-ctx.Done():
		}
	})
	go func() {
		defer close(ended)
		listener.Run(ctx)
	}()
	<-handled // it listens
	mustChange(t, s, "registration=closed")
	<-handled
	if other.Current().Registration {
		t.Error("the other replica was told, and does not know the change")
	}
	cancel()
	<-ended
}

// TestAChangeIsTakenUpWithoutASignal stores a setting without telling the server.
func TestAChangeIsTakenUpWithoutASignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		database := storetest.Open(t, t.TempDir(), "")
		server := service(t, database)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			server.Run(ctx)
		}()
		_, err := database.ChangeSettings(ctx, []store.SettingChange{{Name: "registration", Text: new("closed")}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if server.Current().Registration {
			t.Error("it is not taken up within 2 s")
		}
		cancel()
		<-ended
	})
}

// TestASilentDatabaseLeavesTheSettings checks that a failed read changes nothing.
func TestASilentDatabaseLeavesTheSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		database, silence := storetest.OpenSilent(t, t.TempDir())
		s := service(t, database)
		mustChange(t, s, "registration=closed")
		silence.Begin()
		s.HandleSignal(t.Context(), store.Signal{Kind: store.Missed})
		if s.Current().Registration || silence.Hung() != 1 {
			t.Errorf("the settings are %+v after %d reads", s.Current(), silence.Hung())
		}
		silence.End()
	})
}
