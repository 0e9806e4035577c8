package parley

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// MaxServerInstructions is how many characters the instructions of a server can have if they are stored.
const MaxServerInstructions = 16_000

// Settings are the settings of a server that can be changed while it runs.
type Settings struct {
	// Registration is whether people can register themselves.
	Registration bool
	// Sharing is whether users can share sessions by link.
	Sharing bool
	// Quota applies to users without one of their own.
	Quota Quota
	// Retention is how long sessions are kept after their last message; 0 means forever.
	Retention time.Duration
	// Instructions are the beginning of every prompt. They may be empty.
	Instructions string
}

// DefaultSettings returns the settings of a server if nothing sets them.
func DefaultSettings() Settings { return Settings{Registration: true, Sharing: true} }

// The names of the fields of Settings.
const (
	SettingRegistration = "registration"
	SettingSharing      = "sharing"
	SettingQuota        = "quota"
	SettingRetention    = "retention"
	SettingInstructions = "instructions"
)

// setting is a field of Settings, as a text in the form of the environment.
type setting struct {
	name string
	// variable is its environment variable.
	variable string
	set      func(*Settings, string) error
	text     func(Settings) string
}

// settings returns all fields of Settings.
func settings() []setting {
	return []setting{
		{
			name: SettingRegistration, variable: "PARLEY_REGISTRATION",
			set: func(s *Settings, text string) (err error) {
				s.Registration, err = parseSwitch(SettingRegistration, text, "open", "closed")
				return err
			},
			text: func(s Settings) string { return word(s.Registration, "open", "closed") },
		},
		{
			name: SettingSharing, variable: "PARLEY_SHARING",
			set: func(s *Settings, text string) (err error) {
				s.Sharing, err = parseSwitch(SettingSharing, text, "on", "off")
				return err
			},
			text: func(s Settings) string { return word(s.Sharing, "on", "off") },
		},
		{
			name: SettingQuota, variable: "PARLEY_QUOTA",
			set:  func(s *Settings, text string) (err error) { s.Quota, err = ParseQuota(text); return err },
			text: func(s Settings) string { return s.Quota.String() },
		},
		{
			name: SettingRetention, variable: "PARLEY_RETENTION",
			set:  func(s *Settings, text string) (err error) { s.Retention, err = ParseRetention(text); return err },
			text: func(s Settings) string { return FormatRetention(s.Retention) },
		},
		{
			name: SettingInstructions, variable: "PARLEY_SYSTEM_PROMPT",
			set: func(s *Settings, text string) error {
				s.Instructions = text
				if strings.ContainsRune(text, 0) {
					return Invalid("instructions must not contain a NUL character")
				}
				return nil
			},
			text: func(s Settings) string { return s.Instructions },
		},
	}
}

// findSetting returns a field of Settings by its name.
func findSetting(name string) (found setting, known bool) {
	for _, s := range settings() {
		if s.name == name {
			return s, true
		}
	}
	return setting{}, false
}

// SettingNames returns the names of all fields of Settings.
func SettingNames() []string {
	var names []string
	for _, s := range settings() {
		names = append(names, s.name)
	}
	return names
}

// SettingVariable returns the environment variable of a setting. If a server has the variable, it does not change the
// setting while it runs.
func SettingVariable(name string) string {
	found, _ := findSetting(name)
	return found.variable
}

// Set parses the text of a setting, as it is written in the environment, and changes the setting. If it returns an
// error, nothing is changed.
func (s *Settings) Set(name, text string) error {
	found, known := findSetting(name)
	if !known {
		return fmt.Errorf("there is no setting %q that can be changed; these can: %s",
			name, strings.Join(SettingNames(), ", "))
	}
	changed := *s
	if err := found.set(&changed, text); err != nil {
		return err
	}
	*s = changed
	return nil
}

// parseSwitch reports whether a text is the word for on. It must be that or the word for off.
func parseSwitch(name, text, on, off string) (bool, error) {
	if text != on && text != off {
		return false, Invalid(fmt.Sprintf("%s must be one of %s, %s", name, on, off))
	}
	return text == on, nil
}

// Text returns a setting in the form that Set accepts.
func (s Settings) Text(name string) string {
	found, known := findSetting(name)
	if !known {
		return ""
	}
	return found.text(s)
}

func word(isOn bool, on, off string) string {
	if isOn {
		return on
	}
	return off
}

// SettingsOutput are the settings that administrators can change, as they are in force.
type SettingsOutput struct {
	Registration bool     `json:"registration" doc:"Whether people can register themselves." example:"true"`
	Sharing      bool     `json:"sharing" doc:"Whether users can share sessions by link. Without it, existing links lead nowhere." example:"true"`
	Quota        string   `json:"quota" doc:"What each user without a quota of their own may use in a day of UTC: none, or limits." example:"messages=100/d"`
	Retention    string   `json:"retention" doc:"Time after its last message when a session is deleted, unless it is pinned or has a favorite; empty if sessions are kept." example:"720h"`
	Instructions string   `json:"instructions" doc:"Instructions that the model gets with every question; may be empty." example:"Answer in the language of the question."`
	Fixed        []string `json:"fixed" nullable:"false" doc:"Settings that can't be changed here, because the server's environment, a flag or its settings file has them." example:"[\"registration\"]"`
}

// Output returns the settings in the form of GET /api/admin/settings.
func (s Settings) Output(fixed []string) SettingsOutput {
	out := SettingsOutput{
		Registration: s.Registration, Sharing: s.Sharing, Quota: s.Quota.String(), Instructions: s.Instructions,
		Fixed: slices.Clone(fixed),
	}
	if s.Retention > 0 {
		out.Retention = FormatRetention(s.Retention)
	}
	if out.Fixed == nil {
		out.Fixed = []string{}
	}
	return out
}

// SettingsInput holds the settings to change. Those that are nil stay the same.
type SettingsInput struct {
	Registration *bool   `json:"registration,omitempty" required:"false" doc:"Whether people can register themselves; null for the default." example:"true"`
	Sharing      *bool   `json:"sharing,omitempty" required:"false" doc:"Whether users can share sessions by link; null for the default." example:"true"`
	Quota        *string `json:"quota,omitempty" required:"false" doc:"What each user without a quota of their own may use in a day of UTC: none, or limits such as tokens=1M/d,messages=200/d; null for the default." example:"messages=100/d"`
	Retention    *string `json:"retention,omitempty" required:"false" doc:"Time after its last message when a session is deleted, at least 1h, such as 90d; off or empty to keep sessions; null for the default." example:"90d"`
	Instructions *string `json:"instructions,omitempty" required:"false" maxLength:"16000" doc:"Instructions that the model gets with every question, at most 16,000 characters; null for the default." example:"Answer in the language of the question."`
	Confirm      bool    `json:"confirm,omitempty" required:"false" doc:"Whether a retention may delete sessions that exist. Without it such a change is refused (2002 with HTTP 409), with their number." example:"true"`
	// Reset names the settings that go back to their defaults. In JSON they are null.
	Reset []string `json:"-" nulls:"true"`
}

// Texts returns the settings to change in the form that Settings.Set accepts, by their names. The text is nil for those
// that go back to their defaults.
func (in SettingsInput) Texts() map[string]*string {
	texts := map[string]*string{}
	for _, name := range in.Reset {
		texts[name] = nil
	}
	if in.Registration != nil {
		texts[SettingRegistration] = new(Settings{Registration: *in.Registration}.Text(SettingRegistration))
	}
	if in.Sharing != nil {
		texts[SettingSharing] = new(Settings{Sharing: *in.Sharing}.Text(SettingSharing))
	}
	for name, text := range in.texts() {
		texts[name] = &text
	}
	return texts
}

// MarshalJSON writes those of Reset as null.
func (in SettingsInput) MarshalJSON() ([]byte, error) {
	members := map[string]any{}
	for _, name := range in.Reset {
		members[name] = nil
	}
	if in.Registration != nil {
		members[SettingRegistration] = *in.Registration
	}
	if in.Sharing != nil {
		members[SettingSharing] = *in.Sharing
	}
	for name, text := range in.texts() {
		members[name] = text
	}
	if in.Confirm {
		members["confirm"] = true
	}
	return json.Marshal(members)
}

// texts returns the settings to change, if their values are texts.
func (in SettingsInput) texts() map[string]string {
	texts := map[string]string{}
	for name, text := range map[string]*string{
		SettingQuota: in.Quota, SettingRetention: in.Retention, SettingInstructions: in.Instructions,
	} {
		if text != nil {
			texts[name] = *text
		}
	}
	return texts
}
