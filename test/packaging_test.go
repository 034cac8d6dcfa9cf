package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/mcpassay/mcpassay/internal/model/client"
)

type action struct {
	Inputs  map[string]struct{ Default string }
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Using string
		Steps []struct {
			ID, Shell, Run, Uses string
			Env                  map[string]string
		}
	}
}

func readAction(t *testing.T) action {
	t.Helper()
	var a action
	if err := yaml.Unmarshal([]byte(readRepository(t, "action.yml")), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTheActionTakesInputsThroughTheEnvironmentOnly(t *testing.T) {
	a := readAction(t)
	if a.Runs.Using != "composite" || len(a.Runs.Steps) != 1 {
		t.Fatalf("%+v", a.Runs)
	}
	step := a.Runs.Steps[0]
	if strings.Contains(step.Run, "${{") || step.Uses != "" {
		t.Error("the script must hold no expression, and the step must use no other action")
	}
	for name := range a.Inputs {
		if step.Env["MCPASSAY_"+strings.ToUpper(name)] != "${{ inputs."+name+" }}" {
			t.Errorf("the input %s does not reach the script", name)
		}
	}
	for name, o := range a.Outputs {
		if o.Value != "${{ steps."+step.ID+".outputs."+name+" }}" || !strings.Contains(step.Run, name+"=%s") {
			t.Errorf("the output %s is never set", name)
		}
	}
}

// runAction runs the action's script as a runner does, and answers its exit code, what it set, and what it printed.
func runAction(t *testing.T, args string) (code int, set map[string]string, out string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash: apt-get install bash")
	}
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	a := readAction(t)
	temp, folder := t.TempDir(), copyOfExamples(t)
	output := filepath.Join(temp, "output")
	cmd := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", a.Runs.Steps[0].Run)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "RUNNER_TEMP="+temp, "GITHUB_OUTPUT="+output, "MCPASSAY_ARGS="+args,
		"MCPASSAY_FORMAT="+a.Inputs["format"].Default, "MCPASSAY_VERSION=", "MCPASSAY_SOURCE="+root, "HOME="+temp,
		"GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	printed, _ := cmd.CombinedOutput()
	raw, _ := os.ReadFile(output)
	set = map[string]string{}
	for line := range strings.Lines(string(raw)) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\n"), "=")
		set[name] = value
	}
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("the action left %q beside the examples", left)
	}
	return cmd.ProcessState.ExitCode(), set, string(printed)
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestTheActionReportsAndFailsAsTheProgramDoes(t *testing.T) {
	code, set, out := runAction(t, readAction(t).Inputs["args"].Default)
	if code != 1 || set["exit-code"] != "1" || !strings.Contains(out, "::error ") {
		t.Errorf("exit %d, %v, %s", code, set, out)
	}
	raw, err := os.ReadFile(set["sarif"])
	if err != nil || !strings.Contains(string(raw), `"2.1.0"`) {
		t.Errorf("sarif: %v", err)
	}
}

func TestTheActionRunsNothingThatItsArgumentsHold(t *testing.T) {
	code, set, out := runAction(t, "lint examples/clean $(touch owned) `touch owned` ; touch owned\n&& touch owned")
	if code != 2 || set["exit-code"] != "2" {
		t.Errorf("exit %d, %v, %s", code, set, out)
	}
}

func TestThePreCommitHookRunsForEveryProjectFileOfTheClientTable(t *testing.T) {
	var hooks []struct {
		ID, Language, Entry, Files string
		PassFilenames              bool `yaml:"pass_filenames"`
	}
	if err := yaml.Unmarshal([]byte(readRepository(t, ".pre-commit-hooks.yaml")), &hooks); err != nil || len(hooks) != 1 {
		t.Fatal(err, hooks)
	}
	h := hooks[0]
	if h.ID != "mcpassay" || h.Language != "golang" || !strings.HasPrefix(h.Entry, "mcpassay lint") || h.PassFilenames {
		t.Errorf("%+v", h)
	}
	pattern := regexp.MustCompile(h.Files) // of what Go and Python both know
	for _, c := range client.Table() {
		for _, l := range c.Locations {
			if c.Kind != client.Program || !l.Project() {
				continue
			}
			for _, path := range samples(l.Path) {
				if !pattern.MatchString(path) || !pattern.MatchString("packages/a/"+path) {
					t.Errorf("no commit of %s's %s runs the hook", c.ID, path)
				}
			}
		}
	}
	for _, path := range []string{"package.json", "settings.json", "config.toml", "docs/mcp.md", "src/plugin.json", "a.vscode/launch.json", ".github/dependabot.yml"} {
		if pattern.MatchString(path) {
			t.Errorf("a commit of %s runs the hook", path)
		}
	}
}

// samples are paths that a pattern of the client table matches.
func samples(pattern string) []string {
	if open := strings.IndexByte(pattern, '{'); open >= 0 {
		end := open + strings.IndexByte(pattern[open:], '}')
		var all []string
		for _, word := range strings.Split(pattern[open+1:end], ",") {
			all = append(all, samples(pattern[:open]+word+pattern[end+1:])...)
		}
		return all
	}
	return []string{strings.NewReplacer("**", "a/b", "*", "x").Replace(pattern)}
}

func TestCIExamplesUseWhatTheRepositoryOffers(t *testing.T) {
	workflow := readRepository(t, "examples/ci/github.yml")
	for _, m := range regexp.MustCompile(`steps\.mcpassay\.outputs\.([a-z-]+)`).FindAllStringSubmatch(workflow, -1) {
		if _, ok := readAction(t).Outputs[m[1]]; !ok {
			t.Errorf("the workflow uses the output %s", m[1])
		}
	}
	var parsed struct {
		Jobs map[string]struct {
			Steps []struct {
				Uses string
				With map[string]yaml.Node
			}
		}
	}
	if err := yaml.Unmarshal([]byte(workflow), &parsed); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, s := range parsed.Jobs["mcpassay"].Steps {
		if strings.HasPrefix(s.Uses, "mcpassay/mcpassay@") {
			found = true
			for input := range s.With {
				if _, ok := readAction(t).Inputs[input]; !ok {
					t.Errorf("the workflow sets the input %s", input)
				}
			}
		}
	}
	var hook struct {
		Repos []struct{ Hooks []struct{ ID string } }
	}
	if err := yaml.Unmarshal([]byte(readRepository(t, "examples/ci/pre-commit-config.yaml")), &hook); err != nil {
		t.Fatal(err)
	}
	if !found || len(hook.Repos) != 1 || !slices.ContainsFunc(hook.Repos[0].Hooks, func(h struct{ ID string }) bool { return h.ID == "mcpassay" }) {
		t.Error("the examples use neither the action nor the hook")
	}
}
