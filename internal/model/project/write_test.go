package project

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/source"
)

func entry(name string, change ...func(*Server)) Server {
	s := Server{Name: name, Kind: Registry, Of: name, Version: "^1.2.0", Env: []Variable{{Name: "ROOT", Required: true}, {Name: "TOKEN", Secret: true}}}
	for _, c := range change {
		c(&s)
	}
	return s
}

const name = "io.github.example/files"

func TestAServerIsPutInWithoutTouchingAnotherByte(t *testing.T) {
	for _, c := range []struct{ before, want string }{
		{"version: \"1\"\nservers:\n    # ours\n    search: {url: \"https://a.example/mcp\"} # keep\n\npolicy:\n    profile: strict\n",
			"version: \"1\"\nservers:\n    # ours\n    search: {url: \"https://a.example/mcp\"} # keep\n    \"io.github.example/files\":\n        version: \"^1.2.0\"\n        env:\n            ROOT:\n                required: true\n            TOKEN:\n                secret: true\n\npolicy:\n    profile: strict\n"},
		{New, "version: \"1\"\nservers:\n  \"io.github.example/files\":\n    version: \"^1.2.0\"\n    env:\n      ROOT:\n        required: true\n      TOKEN:\n        secret: true\n"},
		{"version: \"1\"\r\nservers: {a: {command: x}}\r\n", "version: \"1\"\r\nservers: {a: {command: x}, \"io.github.example/files\": {version: \"^1.2.0\", env: {ROOT: {required: true}, TOKEN: {secret: true}}}}\r\n"},
		{"version: \"1\" # one", ""},
		{"\xEF\xBB\xBFversion: \"1\"\nservers:\n  a:\n    command: x", ""},
	} {
		now, err := Put("mcpassay.yaml", []byte(c.before), entry(name), limits.Default)
		if err != nil || c.want != "" && string(now) != c.want {
			t.Errorf("%v\n%s\nwant\n%s", err, now, c.want)
			continue
		}
		if _, err := Put("mcpassay.yaml", now, entry(name), limits.Default); !errors.Is(err, ErrSame) {
			t.Errorf("put twice: %v", err)
		}
		back, err := Take("mcpassay.yaml", now, name, limits.Default)
		if err != nil || c.before == New && string(back) != New || strings.Contains(c.before, "a") && !strings.HasPrefix(string(back), c.before[:len(c.before)-1]) {
			t.Errorf("%v: taken out of\n%s\nis\n%s", err, now, back)
		}
		if _, err := Take("mcpassay.yaml", back, name, limits.Default); !errors.Is(err, ErrSame) {
			t.Errorf("taken twice: %v", err)
		}
	}
}

func TestAChangeTouchesWhatDiffers(t *testing.T) {
	const before = "version: \"1\"\nservers:\n  # files\n  io.github.example/files: {version: '^1.2.0', env: {ROOT: {required: true}, # the folder\n      TOKEN: {secret: true}}}\n  # others\n"
	now, err := Put("mcpassay.yaml", []byte(before), entry(name, func(s *Server) { s.Version = "^2.0.0" }), limits.Default)
	if err != nil || string(now) != strings.Replace(before, "'^1.2.0'", `"^2.0.0"`, 1) {
		t.Errorf("%v\n%s", err, now)
	}
	now, err = Put("mcpassay.yaml", now, entry(name, func(s *Server) { s.Version, s.Env = "", nil }), limits.Default)
	if err != nil || !strings.Contains(string(now), "# files\n") || !strings.Contains(string(now), "  # others\n") || strings.Contains(string(now), "env") {
		t.Errorf("%v\n%s", err, now)
	}
}

func TestWhatCanNotBeEditedIsLeft(t *testing.T) {
	for text, want := range map[string]string{
		"version: \"1\"\nservers: [a]\n": `"servers" is an array`,
		"version: \"1\"\nservers: {\n":   "line",
		"version: \"1\"\nx: &x {version: \"1\"}\nservers:\n  io.github.example/files: *x\n": "can not be changed",
		"version: \"1\"\nservers:\n  io.github.example/files:\n":                            "write {} behind its name",
		"version: \"1\"\nservers:\n  io.github.example/files: {bad: 1}\n":                   `line 3, column 29: unknown key "bad"`,
	} {
		if now, err := Put("mcpassay.yaml", []byte(text), entry(name), limits.Default); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s became\n%s\n%v", text, now, err)
		}
	}
	if _, err := Take("mcpassay.yaml", []byte("version: \"1\"\nx: &x {command: a}\nservers:\n  a: *x\n"), "a", limits.Default); err == nil || !strings.Contains(err.Error(), "used in several places") {
		t.Errorf("%v", err)
	}
}

// Whatever a server says comes back as it was meant, whatever the file around it is like.
func FuzzPut(f *testing.F) {
	f.Add(New, "a.b/c", "^1.0.0", "--x", "A", "v ${B}")
	f.Add("version: \"1\"\nservers:\n  a: {command: x} # c\n", "b", "", "'\"\n#: -", "A_B", "")
	f.Add("version: \"1\"\nservers: {\"a\": {command: x},}\n", "b", "1", "", "A", "{}")
	f.Fuzz(func(t *testing.T, text, name, version, arg, variable, value string) {
		s := Server{Name: name, Kind: Command, Command: "run", Args: []string{arg}, Env: []Variable{{Name: variable, Value: value, Required: version != ""}}}
		now, err := Put("mcpassay.yaml", []byte(text), s, limits.Default)
		if err != nil {
			return
		}
		doc, err := source.Parse("mcpassay.yaml", now, source.YAML, limits.Default)
		if err != nil {
			t.Fatal(err)
		}
		servers, _, faults := Read(doc.Root())
		found := false
		for _, o := range servers {
			found = found || o.Name == name && o.Args[0] == arg && o.Env[0].Value == value
		}
		if !found || len(faults) > 0 {
			t.Errorf("%+v %v in\n%s", servers, faults, now)
		}
		if _, err := Take("mcpassay.yaml", now, name, limits.Default); err != nil {
			t.Logf("%s stays: %v", name, err)
		}
	})
}

// A comment behind an entry goes with it; one above it stays, and so does one behind another.
func TestACommentOfAnEntryGoesWithIt(t *testing.T) {
	for before, want := range map[string]string{
		"version: \"1\"\nservers:\n  # far\n  a: {command: x} # a's\n  b: {command: y} # b's\n": "version: \"1\"\nservers:\n  # far\n  b: {command: y} # b's\n",
		"version: \"1\"\nservers:\n  a: {command: x} # a's\npolicy: {}\n":                       "version: \"1\"\nservers: {}\npolicy: {}\n",
		"version: \"1\"\nservers: # mine\n  # far\n  a:\n    command: x\n":                      "",
		"version: \"1\"\nservers:\n  # far\n  a: {command: x} # a's\npolicy: {}\n":              "",
	} {
		now, err := Take("mcpassay.yaml", []byte(before), "a", limits.Default)
		if err != nil || want != "" && string(now) != want {
			t.Errorf("%s\nbecame\n%s\n%v", before, now, err)
		}
		for _, comment := range []string{"# far", "# mine", "# b's"} {
			if strings.Contains(before, comment) && !strings.Contains(string(now), comment) {
				t.Errorf("%s is gone from\n%s", comment, now)
			}
		}
	}
}
