package main_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"parley"
	"parley/internal/ai/aitest"
)

// repository reads a file of the repository.
func repository(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", path))
	must(t, err)
	return string(text)
}

// TestTheDashboardUsesMetricsThatExist compares the dashboard with the metrics of a server.
func TestTheDashboardUsesMetricsThatExist(t *testing.T) {
	t.Parallel()
	model := aitest.New(t)
	p := start(t, "PARLEY_DATA="+t.TempDir(), "PARLEY_AI_BASE_URL="+model.URL, "PARLEY_AI_MODEL=m")
	ada := p.user("ada")
	_, err := ada.Send(t.Context(), parley.SendInput{SessionID: session(t, ada), Content: "Hello"})
	must(t, err)
	response, err := http.Get(p.url + "/metrics")
	must(t, err)
	defer response.Body.Close()
	metrics, err := io.ReadAll(response.Body)
	must(t, err)
	exists := map[string]bool{}
	for _, name := range regexp.MustCompile(`(?m)^[a-z_]+`).FindAllString(string(metrics), -1) {
		exists[name] = true
	}

	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	must(t, json.Unmarshal([]byte(repository(t, "deploy/grafana.json")), &dashboard))
	used := 0
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			names := regexp.MustCompile(`\b(parley|go|process)_[a-z_]+`).FindAllString(target.Expr, -1)
			if len(names) == 0 {
				t.Errorf("%s: %s uses no metric of ours", panel.Title, target.Expr)
			}
			if strings.Count(target.Expr, `{job=~"$job"`)+strings.Count(target.Expr, `,job=~"$job"`) != len(names) {
				t.Errorf("%s: %s does not filter every metric by job", panel.Title, target.Expr)
			}
			for _, name := range names {
				used++
				if !exists[name] {
					t.Errorf("%s: there is no metric %s", panel.Title, name)
				}
			}
		}
	}
	for name := range exists {
		if family := strings.TrimSuffix(name, "_bucket"); strings.HasPrefix(name, "parley_") &&
			!strings.HasSuffix(name, "_sum") && !strings.HasSuffix(name, "_count") &&
			!strings.Contains(repository(t, "deploy/grafana.json"), family) {
			t.Errorf("the dashboard does not show %s", name)
		}
	}
	if used == 0 {
		t.Error("the dashboard is empty")
	}
}

var variable = regexp.MustCompile(`PARLEY_[A-Z0-9_]+`)

// TestDeploymentsSetOnlySettingsThatExist checks the files of all deployments.
func TestDeploymentsSetOnlySettingsThatExist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, name := range variable.FindAllString(works(t, nil, "--help"), -1) {
		known[name] = true
	}
	for _, file := range []string{"compose.yaml", "Dockerfile", "deploy/parley.service", "deploy/nginx.conf"} {
		names := variable.FindAllString(repository(t, file), -1)
		if len(names) == 0 {
			t.Errorf("%s sets nothing", file)
		}
		for _, name := range names {
			if !known[name] {
				t.Errorf("%s: there is no setting %s", file, name)
			}
		}
	}
}

// TestTheReplicasOfTheComposeFileHaveGoodSettings runs the program with the settings in compose.yaml.
func TestTheReplicasOfTheComposeFileHaveGoodSettings(t *testing.T) {
	t.Parallel()
	var compose struct {
		Services map[string]struct {
			Build       struct{ Context string }
			Image       string
			Memory      string `yaml:"mem_limit"`
			Processes   int    `yaml:"pids_limit"`
			Environment map[string]string
			Networks    map[string]struct {
				Address string `yaml:"ipv4_address"`
			}
		}
	}
	must(t, yaml.Unmarshal([]byte(repository(t, "compose.yaml")), &compose))
	replicas := 0
	for name, service := range compose.Services {
		if service.Image == "" {
			t.Errorf("%s has no image", name)
		}
		if service.Memory == "" || service.Processes == 0 {
			t.Errorf("%s has no limit on memory or processes", name)
		}
		if service.Build.Context == "" {
			continue
		}
		replicas++
		address := service.Networks["default"].Address
		if address == "" || !strings.Contains(repository(t, "deploy/nginx.conf"), "server "+address+":8080 ") {
			t.Errorf("the proxy does not know %s at %q", name, address)
		}
		// Only the proxy may be trusted: a trusted proxy can forge client addresses.
		proxy := compose.Services["proxy"].Networks["default"].Address
		if proxy == "" || service.Environment["PARLEY_TRUSTED_PROXIES"] != proxy {
			t.Errorf("%s trusts %s, the proxy is %q", name, service.Environment["PARLEY_TRUSTED_PROXIES"], proxy)
		}
		var settings []string
		for variable, value := range service.Environment {
			settings = append(settings, variable+"="+regexp.MustCompile(`\$\{[^}]*\}`).ReplaceAllString(value, "secret"))
		}
		// With these settings, backup reads all of them and changes nothing.
		fails(t, settings, "aws s3 sync s3://parley parley-files --endpoint-url http://s3:7070", "backup", "a.tar")
	}
	if replicas != 2 {
		t.Errorf("there are %d replicas", replicas)
	}
}

func TestTheUnitIsBounded(t *testing.T) {
	t.Parallel()
	unit := repository(t, "deploy/parley.service")
	for _, line := range []string{"MemoryMax=", "TasksMax=", "OOMPolicy=continue", "GOMEMLIMIT="} {
		if !strings.Contains(unit, line) {
			t.Errorf("the unit lacks %s", line)
		}
	}
}

func TestPackagesRunNoScriptsWhenTheyAreInstalled(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"scripts/web", "scripts/packages"} {
		text := repository(t, script)
		if !strings.Contains(text, "\tnpm ci --ignore-scripts ") && !strings.Contains(text, " npm ci --ignore-scripts ") {
			t.Errorf("%s installs packages with their scripts", script)
		}
	}
}
