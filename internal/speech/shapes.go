package speech

import (
	"strings"
	"sync"
)

// secretFiles are parts of the paths where people and programs keep what nobody else may read.
var secretFiles = []string{".ssh", ".aws", ".azure", ".gnupg", ".kube", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".docker/config",
	".config/gcloud", ".config/gh", ".password-store", ".cursor/mcp.json", ".claude", ".codeium", "claude_desktop_config", "mcp.json",
	"mcp_settings", "/etc/passwd", "/etc/shadow", "/etc/sudoers", "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "authorized_keys", "known_hosts",
	".pem", ".p12", ".pfx", ".kdbx", "keychain", "wallet.dat", "login data", "cookies.sqlite", "/proc/self/environ", "secrets.", "credentials.",
	"/.credentials", ".bash_history", ".zsh_history", ".pgpass", ".my.cnf", ".vault-token", ".terraform.d", "terraform.tfstate", "service-account",
	"kubeconfig", "ntds.dit", "shadow-", "private_key", "private.key", "/run/secrets", "metadata/v1", "169.254.169.254", "system32/config", "secring", "google/chrome/user", "chrome/user data", "edge/user data", "bravesoftware", "mozilla/firefox", "microsoft/credentials", "microsoft/protect", "microsoft/vault", "local state", "ntuser.dat", "1password", "bitwarden", "electrum", "metamask", "exodus/", "discord/local", "telegram desktop", "filezilla", "winscp.ini", "consolehost_history", "application support/google", "/library/keychains", "/keyrings/"}

// systemFiles are parts of the paths of what runs by itself, and of what a system is made of.
var systemFiles = []string{".bashrc", ".bash_profile", ".zshrc", ".profile", ".zprofile", ".zshenv", "/etc/", "crontab", "cron.d", "/tmp/", "/var/log", "/var/spool",
	"/usr/", "/bin/", "/boot", "/dev/", "/opt/", "/root", "/system32", "\\windows", "\\system32", ".config/autostart", "launchagents", "launchdaemons",
	"systemd", "/etc/hosts", ".gitconfig", ".vimrc", "rc.local", "init.d", "authorized_keys", "/home/", "~/", "$home", "%appdata%", "startup", ".git/hooks", ".vscode/", ".cursor/", "/var/", "/absolute", ".log", "~/."}

// files are those lists by their first byte: a long text may hold many paths.
var files = sync.OnceValue(func() *struct{ secret, system [256][]string } {
	var t struct{ secret, system [256][]string }
	for _, f := range secretFiles {
		t.secret[f[0]] = append(t.secret[f[0]], f)
	}
	for _, f := range systemFiles {
		t.system[f[0]] = append(t.system[f[0]], f)
	}
	return &t
})

// file says what a path or a file's name is.
func file(path string) bits {
	const shortest = 4 // .env
	if len(path) < shortest {
		return 0
	}
	p := slashed(lower(path))
	var is bits
	if secretFile(p) {
		is |= secretPath
	}
	if p[0] == '/' || p[0] == '~' || p[0] == '.' || p[0] == '$' || p[0] == '%' {
		known := files()
		for at := 0; at < len(p) && is&systemPath == 0; at++ {
			for _, f := range known.system[p[at]] {
				if strings.HasPrefix(p[at:], f) {
					is |= systemPath
					break
				}
			}
		}
	}
	if len(p) > 3 && (p[0] == '/' && p[1] != '/' || strings.HasPrefix(p, "~/")) {
		is |= anyPath
	}
	if is == 0 && hostileName(p) {
		is |= foreignHost
	}
	return is
}

// slashed writes a path of Windows with slashes.
func slashed(p string) string {
	if strings.IndexByte(p, '\\') < 0 {
		return p
	}
	return strings.ReplaceAll(strings.ReplaceAll(p, `\\`, "/"), `\`, "/")
}

// secretFile says whether a path in small letters is that of a secret.
func secretFile(p string) bool {
	if p == ".env" || strings.HasPrefix(p, ".env.") || strings.HasSuffix(p, "/.env") || strings.Contains(p, "/.env.") {
		return true
	}
	known := files()
	for at := range len(p) {
		for _, f := range known.secret[p[at]] {
			if strings.HasPrefix(p[at:], f) && (at == 0 || !letter(f[0]) || !letter(p[at-1])) {
				return true
			}
		}
	}
	return false
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// hostile are words in the names of hosts and mailboxes of examples of attacks, and services that catch whatever is sent.
var hostile = []string{"attacker", "evil", "malicious", "exfil", "hacker", "steal", "pwned", "p0wned", "rogue", "adversary", "phish", "webhook.site",
	"requestbin", "ngrok", "pipedream", "burpcollaborator", "oastify", "interact.sh", "oast.", "pastebin", "transfer.sh", "requestcatcher",
	"beeceptor", "hookbin", "dnslog", "canarytokens", "trycloudflare", "serveo.net", "localtunnel", "c2.", "collector."}

// hostileName says whether a host, a mailbox or a URL names itself so.
func hostileName(s string) bool {
	if len(s) < 5 {
		return false
	}
	s = lower(s)
	for _, h := range hostile {
		if strings.Contains(s, h) {
			return true
		}
	}
	return false
}

// numericHost says whether a host is a bare address that is not the machine's own.
func numericHost(host string) bool {
	n, dots := 0, 0
	for n < len(host) && (host[n] >= '0' && host[n] <= '9' || host[n] == '.') {
		if host[n] == '.' {
			dots++
		}
		n++
	}
	local := strings.HasPrefix(host, "127.") || strings.HasPrefix(host, "0.0.0.0") || strings.HasPrefix(host, "10.") || strings.HasPrefix(host, "192.168.")
	return dots == 3 && !local
}
