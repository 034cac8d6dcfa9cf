package sandbox

import (
	"path/filepath"
	"slices"

	"github.com/mcpassay/mcpassay/internal/effect/proc"
)

// secretive are what a server is never shown, below a home folder: keys, what programs are logged in with, what browsers and mail
// programs keep, and what a person typed. This is the one table of them; who starts a server adds what it knows itself
// (Profile.Secret).
var secretive = []string{
	// keys
	".ssh", ".gnupg", ".age", ".config/age", ".config/sops", ".password-store", ".local/share/keyrings", ".local/share/kwalletd",
	".pki", "Library/Keychains", "AppData/Roaming/Microsoft/Credentials", "AppData/Roaming/Microsoft/Protect",
	// clouds
	".aws", ".azure", ".config/gcloud", ".kube", ".docker", ".oci", ".boto", ".s3cfg", ".terraform.d", ".terraformrc", ".vault-token",
	".config/doctl", ".config/rclone", ".config/hcloud", ".fly", ".config/containers",
	// registries and forges
	".netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".gem/credentials", ".cargo/credentials", ".cargo/credentials.toml", ".m2/settings.xml",
	".gradle/gradle.properties", ".nuget", ".git-credentials", ".config/git", ".config/gh", ".config/glab-cli", ".config/hub",
	// managers of passwords
	".config/op", ".config/Bitwarden", ".config/Bitwarden CLI", ".config/keepassxc", ".config/1Password", "Library/Group Containers",
	// databases
	".pgpass", ".my.cnf", ".mylogin.cnf", ".redisclirc_auth",
	// browsers, mail, chat, and the folders in which packaged programs keep theirs
	".mozilla", ".thunderbird", ".config/google-chrome", ".config/google-chrome-beta", ".config/chromium", ".config/BraveSoftware",
	".config/microsoft-edge", ".config/vivaldi", ".config/opera", ".config/Slack", ".config/Signal", ".config/discord", ".var/app", "snap",
	"Library/Application Support/Google", "Library/Application Support/Firefox", "Library/Application Support/BraveSoftware",
	"Library/Application Support/Microsoft Edge", "Library/Application Support/Arc", "Library/Application Support/Slack",
	"Library/Application Support/Signal", "Library/Cookies", "Library/Mail", "Library/Messages", "Library/Safari",
	"AppData/Local/Google/Chrome/User Data", "AppData/Local/Microsoft/Edge/User Data", "AppData/Roaming/Mozilla",
	// wallets
	".bitcoin", ".ethereum", ".electrum", ".config/solana", ".monero",
	// what was typed
	".bash_history", ".zsh_history", ".histfile", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history", ".lesshst",
	".local/share/fish/fish_history",
	// ours: what the guard keeps, and the user's lock
	".local/state/mcpassay", ".config/mcpassay", "Library/Application Support/mcpassay", "AppData/Local/mcpassay", "AppData/Roaming/mcpassay",
}

// reserved are the system's own, of which no part is opened by name.
var reserved = []string{"/etc", "/proc", "/sys", "/dev", "/boot", "/run", "/var/run"}

// manys are folders in which those of several people or programs lie.
var manys = []string{"/", "/home", "/Users", "/var"}

// homes are the home folders that are known, links in them followed too.
func (s Spec) homes() []string {
	all := []string{"/root"}
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if h := proc.Get(s.Parent, name); filepath.IsAbs(h) {
			all = append(all, followed(filepath.Clean(h))...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// secrets are the paths of what a server is never shown. Of one that is a link, what it leads to is another.
func (s Spec) secrets() (all []string) {
	if s.closed != nil {
		return s.closed
	}
	for _, h := range s.homes() {
		for _, x := range secretive {
			all = append(all, filepath.Join(h, x))
		}
	}
	if s.Profile != nil {
		for _, x := range s.Profile.Secret {
			all = append(all, filepath.Clean(x))
		}
	}
	for _, x := range slices.Clone(all) {
		all = append(all, followed(x)[1:]...)
	}
	return all
}

// followed is a path, and where it leads to when that is elsewhere.
func followed(path string) []string {
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		return []string{path, real}
	}
	return []string{path}
}

// mayOpen says whether a server may read all below a path: it must lie in nothing secret or of the system's, and hold
// no such thing, in particular no home folder. Links in it are followed first.
func (s Spec) mayOpen(path string) bool { return s.judge(path) == whole }

// How much of a path may be opened.
type share int

const (
	nothing share = iota
	parts         // what in it is no secret
	whole
)

// judge says how much of a path may be opened.
func (s Spec) judge(path string) share {
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	for _, x := range reserved {
		if within(x, path) || within(path, x) {
			return nothing
		}
	}
	if slices.Contains(manys, path) {
		return nothing
	}
	out := whole
	for _, x := range s.secrets() {
		if within(path, x) {
			return nothing
		}
		if within(x, path) {
			out = parts
		}
	}
	return out
}
