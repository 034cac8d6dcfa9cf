package launch

import (
	"strings"
	"sync"
)

// EnvClass is what a variable does to the program that is started with it.
type EnvClass string

// The classes of dangerous variables.
const (
	LoadsCode         EnvClass = "loads-code"         // a program runs code that the value names
	RedirectsPackages EnvClass = "redirects-packages" // packages come from where the value says
	DisablesTLS       EnvClass = "disables-tls"       // certificates are not checked, or by another authority
	RedirectsAPI      EnvClass = "redirects-api"      // requests, and the keys in them, go where the value says
)

// EnvDanger is what is known of a variable. Certain is false where the variable has an everyday use that is
// as likely as a bad one (PYTHONPATH=. or a gateway's base URL).
type EnvDanger struct {
	Class   EnvClass
	Why     string
	Certain bool
}

// DangerousEnv says why a variable of that name can make a harmless command run other code, trust other
// hosts or talk to them. Names are compared without case: npm and Windows read them so.
func DangerousEnv(name string) (why string, ok bool) {
	d, ok := EnvOf(name)
	return d.Why, ok
}

// EnvOf is DangerousEnv with the class.
func EnvOf(name string) (EnvDanger, bool) {
	name = strings.ToUpper(name)
	if d, ok := dangers()[name]; ok {
		return d, true
	}
	if strings.HasPrefix(name, "DYLD_") {
		return EnvDanger{LoadsCode, "the macOS loader takes libraries from where it says", true}, true
	}
	if api, ok := strings.CutSuffix(name, "_BASE_URL"); ok && knownAPI(api) {
		return EnvDanger{RedirectsAPI, "requests and the API key go to the host that it names", false}, true
	}
	return EnvDanger{}, false
}

// RiskyEnv says whether NAME=value does harm in fact: NODE_OPTIONS only when it loads code, a switch that
// turns TLS off only when it is set to do so. A value that is filled in elsewhere counts as harmless.
func RiskyEnv(name, value string) (EnvDanger, bool) {
	d, ok := EnvOf(name)
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
	put := func(class EnvClass, certain bool, why, names string) {
		for _, n := range strings.Fields(names) {
			m[n] = EnvDanger{class, why, certain}
		}
	}
	put(LoadsCode, true, "node and bun load modules that it names", "NODE_OPTIONS BUN_OPTIONS")
	put(LoadsCode, false, "node looks for modules in the folders that it names", "NODE_PATH")
	put(LoadsCode, true, "node uses the binary or script that it names in place of its own", "NPM_CONFIG_NODE_OPTIONS NPM_CONFIG_SCRIPT_SHELL NODE_REPL_EXTERNAL_MODULE")
	put(LoadsCode, true, "the loader puts the library that it names into every program", "LD_PRELOAD LD_AUDIT")
	put(LoadsCode, false, "the loader takes libraries from the folders that it names", "LD_LIBRARY_PATH")
	put(LoadsCode, true, "python runs the file or program that it names", "PYTHONSTARTUP PYTHONBREAKPOINT")
	put(LoadsCode, true, "python takes its standard library from the folder that it names", "PYTHONHOME")
	put(LoadsCode, false, "python imports modules from the folders that it names first", "PYTHONPATH")
	put(LoadsCode, true, "perl loads modules that it names", "PERL5OPT PERL5DB PERL5LIB PERLLIB")
	put(LoadsCode, true, "ruby loads files that it names", "RUBYOPT RUBYLIB")
	put(LoadsCode, true, "every shell script first runs the file that it names", "BASH_ENV ZDOTDIR")
	put(LoadsCode, true, "sh runs the file that it names", "ENV")
	put(LoadsCode, true, "the shell runs it before each prompt", "PROMPT_COMMAND")
	put(LoadsCode, true, "git runs the program that it names",
		"GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_ASKPASS GIT_PROXY_COMMAND GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_PARAMETERS")
	put(LoadsCode, true, "java loads agents and classes that it names", "JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS")
	put(LoadsCode, true, ".NET loads the assembly that it names", "DOTNET_STARTUP_HOOKS CORECLR_PROFILER CORECLR_PROFILER_PATH COR_PROFILER COR_PROFILER_PATH DOTNET_ADDITIONAL_DEPS")
	put(LoadsCode, true, "go runs the programs that its flags name", "GOFLAGS")
	put(LoadsCode, true, "php reads settings, and code to prepend, from the folder that it names", "PHPRC PHP_INI_SCAN_DIR")
	put(LoadsCode, true, "cmd.exe is replaced by the program that it names", "COMSPEC")
	put(LoadsCode, true, "OpenSSL loads engines from where it says", "OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES")
	put(RedirectsPackages, true, "npm packages come from the registry that it names",
		"NPM_CONFIG_REGISTRY YARN_NPM_REGISTRY_SERVER YARN_REGISTRY BUN_CONFIG_REGISTRY NPM_CONFIG_USERCONFIG NPM_CONFIG_GLOBALCONFIG")
	put(RedirectsPackages, true, "python packages come from the index that it names",
		"PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_CONFIG_FILE UV_INDEX_URL UV_EXTRA_INDEX_URL UV_INDEX UV_DEFAULT_INDEX UV_FIND_LINKS UV_CONFIG_FILE")
	put(RedirectsPackages, true, "go modules come from the proxy that it names, or unchecked", "GOPROXY GOSUMDB GONOSUMDB GOINSECURE")
	put(RedirectsPackages, true, "deno packages come from the registry that it names", "JSR_URL")
	put(RedirectsPackages, false, "containers run on the engine that it names", "DOCKER_HOST CONTAINER_HOST")
	put(DisablesTLS, true, "certificates are not checked when it is set so",
		"NODE_TLS_REJECT_UNAUTHORIZED PYTHONHTTPSVERIFY GIT_SSL_NO_VERIFY NPM_CONFIG_STRICT_SSL UV_INSECURE_HOST PIP_TRUSTED_HOST")
	put(DisablesTLS, false, "certificates of the authority that it names are trusted",
		"NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO PIP_CERT NPM_CONFIG_CAFILE DENO_CERT")
	put(RedirectsAPI, false, "requests go through the proxy that it names", "HTTP_PROXY HTTPS_PROXY ALL_PROXY NPM_CONFIG_PROXY NPM_CONFIG_HTTPS_PROXY")
	return m
})
