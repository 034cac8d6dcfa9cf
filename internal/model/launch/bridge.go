package launch

import "strings"

// bridge is what is known of a program that relays between stdio and a remote server: lists of flags.
type bridge struct {
	urls    string // take the remote URL; "" for the first positional word
	values  string // take another value
	scripts string // take the command of a local server
}

// bridgeOf gives the relay that a name stands for. Names not known by heart count when they say both that
// they speak MCP and that they relay.
func bridgeOf(full string) (bridge, bool) {
	switch name := full[strings.LastIndexByte(full, '/')+1:]; name {
	case "mcp-remote", "mcp-remote-client":
		return bridge{values: "--header --host --transport --resource --ignore-tool --auth-timeout " +
			"--static-oauth-client-metadata --static-oauth-client-info"}, true
	case "supergateway":
		return bridge{urls: "--sse --streamableHttp --streamableHTTP --ws", scripts: "--stdio",
			values: "--header --oauth2Bearer --port --baseUrl --ssePath --messagePath --streamableHttpPath " +
				"--outputTransport --logLevel --healthEndpoint --cors --protocolVersion --sessionTimeout"}, true
	case "mcp-proxy", "mcpo":
		return bridge{values: "-H --headers --header --transport --client-id --client-secret --token-url --env -e --cwd " +
			"--port --sse-port --host --sse-host --allow-origin --named-server --named-server-config --apiKey " +
			"--api-key --endpoint --server --ssePath --streamEndpoint --verify-ssl --config --server-type"}, true
	case "fastmcp":
		return bridge{values: "--transport -t --host --port -p --path --log-level -l --name -n --python --with --project"}, true
	}
	if !strings.Contains(full, "mcp") && !strings.Contains(full, "modelcontextprotocol") {
		return bridge{}, false
	}
	for _, role := range [...]string{"remote", "bridge", "proxy", "gateway", "sse-client", "http-client"} {
		if strings.Contains(full, role) {
			return bridge{urls: "--url --sse --server --endpoint --streamable-http", values: "--header --headers -H --host --transport"}, true
		}
	}
	return bridge{}, false
}

// Bridge gives the remote URL of a line that only relays to a server elsewhere (mcp-remote, supergateway,
// mcp-proxy and their like), and the word that it stands in, -1 inside a script.
func (l Line) Bridge() (url string, arg int, ok bool) {
	b, rest, ok := l.bridge()
	if !ok {
		return "", -1, false
	}
	for i := 0; i < len(rest); i++ {
		w := rest[i]
		name, value, joined := strings.Cut(w.text, "=")
		switch {
		case remoteURL(w.text):
			return strings.TrimSpace(w.text), w.arg, true
		case listed(b.urls, name):
			if !joined && i+1 < len(rest) {
				i++
				value, w = rest[i].text, rest[i]
			}
			if remoteURL(value) {
				return strings.TrimSpace(value), w.arg, true
			}
		case listed(b.values, name) || listed(b.scripts, name):
			if !joined {
				i++
			}
		case w.text == "--":
			return "", -1, false // a local server follows
		case strings.HasPrefix(w.text, "-") || i > 0 && strings.HasPrefix(rest[i-1].text, "-"):
		case w.text != "run" && w.text != "proxy" && w.text != "connect" && w.text != "client":
			return "", -1, false // the command of a local server
		}
	}
	return "", -1, false
}

// bridge gives the relay that l runs, and the words after it.
func (l *Line) bridge() (b bridge, rest []word, ok bool) {
	rest = l.rest
	if l.Package != nil {
		b, ok = bridgeOf(l.Package.Name)
	} else {
		b, ok = bridgeOf(l.Program)
		if !ok && len(rest) > 1 && rest[0].text == "-m" { // python -m mcp_proxy URL
			rest = rest[1:]
		}
	}
	// uv run mcp-proxy URL, npx -p mcp-remote mcp-remote URL
	if len(rest) > 0 && (ok || l.Package == nil) && !remoteURL(rest[0].text) {
		if named, found := bridgeOf(strings.ReplaceAll(program(rest[0].text), "_", "-")); found {
			return named, rest[1:], true
		}
	}
	return b, rest, ok
}

// listed says whether name is one of the words of a list.
func listed(list, name string) bool {
	for s := range strings.FieldsSeq(list) {
		if s == name {
			return true
		}
	}
	return false
}

func remoteURL(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	for _, scheme := range [...]string{"https://", "http://", "wss://", "ws://"} {
		if strings.HasPrefix(s, scheme) {
			return true
		}
	}
	return false
}

// bridged reads the local server that a relay starts: supergateway --stdio "npx -y pkg", mcpo -- uvx pkg.
func (r *reader) bridged(l *Line) {
	b, ok := bridgeOf(l.Package.Name)
	if !ok {
		return
	}
	for i, w := range l.rest {
		if w.text == "--" && i+1 < len(l.rest) {
			if r.enter() {
				n := r.command(l.rest[i+1:])
				r.leave()
				l.add(&n)
				l.scripted(&n)
			}
			return
		}
		if name, value, joined := strings.Cut(w.text, "="); listed(b.scripts, name) {
			arg := w.arg
			if !joined && i+1 < len(l.rest) {
				value, arg = l.rest[i+1].text, l.rest[i+1].arg
			}
			n := Line{ScriptArg: -1}
			n.nest(name, r.script(value, posix), arg)
			l.add(&n)
			l.scripted(&n)
		}
	}
}
