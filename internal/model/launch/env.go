package launch

import (
	"slices"
	"strings"
	"sync"
)

// EnvDanger is what is known of a variable. Certain is false where the variable has an everyday use that is
// as likely as a bad one (PYTHONPATH=. or a gateway's base URL).
type EnvDanger struct {
	Why     string
	Certain bool
}

// dangerOf says why a variable of that name can make a harmless command run other code, trust other
// hosts or talk to them. Names are compared without case: npm and Windows read them so.
func dangerOf(name string) (EnvDanger, bool) {
	name = strings.ToUpper(name)
	if d, ok := dangers()[name]; ok {
		return d, true
	}
	if strings.HasPrefix(name, "DYLD_") {
		return EnvDanger{"the macOS loader takes libraries from where it says", true}, true
	}
	if api, ok := strings.CutSuffix(name, "_BASE_URL"); ok && knownAPI(api) {
		return EnvDanger{"requests and the API key go to the host that it names", false}, true
	}
	return EnvDanger{}, false
}

// RiskyEnv says whether NAME=value does harm in fact: NODE_OPTIONS only when it loads code, a switch that
// turns TLS off only when it is set to do so. A value that is filled in elsewhere counts as harmless.
func RiskyEnv(name, value string) (EnvDanger, bool) {
	d, ok := dangerOf(name)
	value = strings.TrimSpace(value)
	if !ok || value == "" || value == "/dev/null" || reference(value) {
		return EnvDanger{}, false
	}
	switch strings.ToUpper(name) {
	case "NODE_OPTIONS", "BUN_OPTIONS":
		ok = has(value, "-r", "--require", "--import", "--loader", "--experimental-loader", "--inspect", "--inspect-brk", "--openssl-config", "--preload")
	case "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS":
		ok = strings.Contains(value, "-javaagent") || strings.Contains(value, "-agent") || strings.Contains(value, "OnError") ||
			strings.HasPrefix(value, "@") || strings.Contains(value, "-cp") || strings.Contains(value, "-classpath")
	case "PERL5OPT", "RUBYOPT":
		ok = strings.ContainsAny(value, "MmrId") // -M, -r, -I and -d load code; -w does not
	case "NODE_TLS_REJECT_UNAUTHORIZED", "PYTHONHTTPSVERIFY":
		ok = value == "0" || strings.EqualFold(value, "false")
	case "GIT_SSL_NO_VERIFY":
		ok = value != "0" && !strings.EqualFold(value, "false")
	case "NPM_CONFIG_STRICT_SSL":
		ok = strings.EqualFold(value, "false")
	case "GOSUMDB":
		ok = value == "off"
	case "ENV", "BASH_ENV", "ZDOTDIR": // ENV=production is everyday
		ok = strings.ContainsAny(value, `/\`)
	case "COMSPEC":
		ok = !strings.HasSuffix(strings.ToLower(value), `\system32\cmd.exe`) && !strings.EqualFold(value, "cmd.exe")
	case "GIT_PAGER", "GIT_EDITOR", "GIT_ASKPASS", "GIT_SSH", "GIT_EXTERNAL_DIFF": // cat, true, echo: a program of the machine
		ok = strings.ContainsAny(value, `/\ `)
	case "GIT_SSH_COMMAND": // ssh -i ~/.ssh/key
		ok = !strings.HasPrefix(value, "ssh ") || strings.Contains(strings.ToLower(value), "command")
	case "GOPROXY":
		ok = value != "direct" && value != "off"
	case "GOFLAGS":
		ok = has(value, "-toolexec", "-exec", "-insecure", "-modfile", "-overlay", "-mod=mod")
	}
	if !ok {
		return EnvDanger{}, false
	}
	return d, true
}

// has says whether one of the flags stands in a list of options.
func has(options string, flags ...string) bool {
	for o := range strings.FieldsSeq(options) {
		for _, f := range flags {
			if o == f || strings.HasPrefix(o, f) && len(o) > len(f) && o[len(f)] == '=' {
				return true
			}
		}
	}
	return false
}

// knownAPI says whether NAME_BASE_URL is read by the client library of a model provider.
func knownAPI(name string) bool {
	switch name {
	case "OPENAI", "OPENAI_API", "ANTHROPIC", "GEMINI", "GOOGLE_GEMINI", "MISTRAL", "GROQ", "OPENROUTER", "DEEPSEEK", "XAI",
		"PERPLEXITY", "COHERE", "AZURE_OPENAI", "TOGETHER", "FIREWORKS":
		return true
	}
	return false
}

// dangers is the table, by name in upper case.
var dangers = sync.OnceValue(func() map[string]EnvDanger {
	m := map[string]EnvDanger{}
	put := func(certain bool, why, names string) {
		for _, n := range strings.Fields(names) {
			m[n] = EnvDanger{why, certain}
		}
	}
	// A program runs code that the value names.
	put(true, "node and bun load modules that it names", "NODE_OPTIONS BUN_OPTIONS")
	put(false, "node looks for modules in the folders that it names", "NODE_PATH")
	put(true, "node uses the binary or script that it names in place of its own", "NPM_CONFIG_NODE_OPTIONS NPM_CONFIG_SCRIPT_SHELL NODE_REPL_EXTERNAL_MODULE")
	put(true, "the loader puts the library that it names into every program", "LD_PRELOAD LD_AUDIT")
	put(false, "the loader takes libraries from the folders that it names", "LD_LIBRARY_PATH")
	put(true, "python runs the file or program that it names", "PYTHONSTARTUP PYTHONBREAKPOINT")
	put(true, "python takes its standard library from the folder that it names", "PYTHONHOME")
	put(false, "python imports modules from the folders that it names first", "PYTHONPATH")
	put(true, "perl loads modules that it names", "PERL5OPT PERL5DB PERL5LIB PERLLIB")
	put(true, "ruby loads files that it names", "RUBYOPT RUBYLIB")
	put(true, "every shell script first runs the file that it names", "BASH_ENV ZDOTDIR")
	put(true, "sh runs the file that it names", "ENV")
	put(true, "the shell runs it before each prompt", "PROMPT_COMMAND")
	put(true, "git runs the program that it names",
		"GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_ASKPASS GIT_PROXY_COMMAND GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_PARAMETERS")
	put(true, "java loads agents and classes that it names", "JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS")
	put(true, ".NET loads the assembly that it names", "DOTNET_STARTUP_HOOKS CORECLR_PROFILER CORECLR_PROFILER_PATH COR_PROFILER COR_PROFILER_PATH DOTNET_ADDITIONAL_DEPS")
	put(true, "go runs the programs that its flags name", "GOFLAGS")
	put(true, "php reads settings, and code to prepend, from the folder that it names", "PHPRC PHP_INI_SCAN_DIR")
	put(true, "cmd.exe is replaced by the program that it names", "COMSPEC")
	put(true, "OpenSSL loads engines from where it says", "OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES")
	// Packages, or what runs them, come from where the value says.
	put(true, "npm packages come from the registry that it names",
		"NPM_CONFIG_REGISTRY YARN_NPM_REGISTRY_SERVER YARN_REGISTRY BUN_CONFIG_REGISTRY NPM_CONFIG_USERCONFIG NPM_CONFIG_GLOBALCONFIG")
	put(true, "python packages come from the index that it names",
		"PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_CONFIG_FILE UV_INDEX_URL UV_EXTRA_INDEX_URL UV_INDEX UV_DEFAULT_INDEX UV_FIND_LINKS UV_CONFIG_FILE")
	put(true, "go modules come from the proxy that it names, or unchecked", "GOPROXY GOSUMDB GONOSUMDB GOINSECURE")
	put(true, "deno packages come from the registry that it names", "JSR_URL")
	put(false, "containers run on the engine that it names", "DOCKER_HOST CONTAINER_HOST")
	// Certificates are not checked, or by another authority.
	put(true, "certificates are not checked when it is set so",
		"NODE_TLS_REJECT_UNAUTHORIZED PYTHONHTTPSVERIFY GIT_SSL_NO_VERIFY NPM_CONFIG_STRICT_SSL UV_INSECURE_HOST PIP_TRUSTED_HOST")
	put(false, "certificates of the authority that it names are trusted",
		"NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO PIP_CERT NPM_CONFIG_CAFILE DENO_CERT")
	// Requests, and the keys in them, go where the value says.
	put(false, "requests go through the proxy that it names", "HTTP_PROXY HTTPS_PROXY ALL_PROXY NPM_CONFIG_PROXY NPM_CONFIG_HTTPS_PROXY")
	return m
})

// LoadsCode says that the value of the variable may change which code a command runs, which hosts it trusts or which it
// talks to, so that who approved the command approved the value too. Of npm, uv, pip and NuGet every setting counts: with
// npm_config_package npx runs another package, with npm_config_cache what lies there.
func LoadsCode(name string) bool {
	if _, ok := dangerOf(name); ok {
		return true
	}
	name = strings.ToUpper(name)
	return slices.ContainsFunc([]string{"NPM_CONFIG_", "UV_", "PIP_", "NUGET_"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// FindsPrograms says that the variable decides where programs, their settings or what they keep are found. A person sets it
// for a machine; whoever else sets it has other programs run.
func FindsPrograms(name string) bool {
	return slices.Contains([]string{"PATH", "PATHEXT", "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "DOTNET_ROOT"},
		strings.ToUpper(name))
}
