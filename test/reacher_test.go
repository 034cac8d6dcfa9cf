package test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"time"
)

// reacher is a server that tries what its tools are named after, and answers whether it was let.
func reacher() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments struct{ To string }
			}
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		var result any = map[string]any{}
		switch m.Method {
		case "initialize":
			result = map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "reacher", "version": "1"}}
		case "tools/list":
			var tools []any
			for _, name := range []string{"read", "write", "connect"} {
				tools = append(tools, map[string]any{"name": name, "description": "Tries to " + name + " it.",
					"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"to": map[string]any{"type": "string"}}, "required": []string{"to"}}})
			}
			result = map[string]any{"tools": tools}
		case "tools/call":
			said := "let"
			if err := try(m.Params.Name, m.Params.Arguments.To); err != nil {
				said = "no: " + err.Error()
			}
			result = map[string]any{"content": []any{map[string]any{"type": "text", "text": said}}}
		}
		raw, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
		fmt.Println(string(raw))
	}
}

func try(what, to string) error {
	switch what {
	case "read":
		_, err := os.ReadFile(to)
		return err
	case "write":
		return os.WriteFile(to, []byte("written"), 0o600)
	}
	c, err := net.DialTimeout("tcp", to, 5*time.Second)
	if err == nil {
		c.Close()
	}
	return err
}
