package serve

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/wire"
	"github.com/mcpassay/mcpassay/internal/source"
)

//go:embed fixtures.json
var fixturesJSON []byte

// fixtures are answers to what the official conformance suite asks of every server and ours does not offer: by method, and
// by the name or URI that the request is about, "" for any.
type fixtures struct {
	Tools []struct {
		Name, Description string
		InputSchema       json.RawMessage
	}
	Answers map[string]map[string]fixture
}

// fixture is one answer. ${NAME} in it is an argument of the request.
type fixture struct {
	// Legacy says that the modern era has no such method.
	Legacy bool
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
	// Notices precede the result. The modern era has only those about progress, where the request wants them.
	Notices []json.RawMessage
	// Again are the results once the client has answered what the one before asked it, and sent its requestState back.
	Again []json.RawMessage
}

func readFixtures() *fixtures {
	f := new(fixtures)
	if err := json.Unmarshal(fixturesJSON, f); err != nil {
		panic(err) // the file is part of the program
	}
	return f
}

func (f *fixtures) offered() (tools []offeredTool) {
	for _, t := range f.Tools {
		tools = append(tools, offeredTool{Name: t.Name, Title: t.Name, Description: t.Description, Input: t.InputSchema, ReadOnly: true})
	}
	return tools
}

// fixture answers a request from the fixtures, where they have an answer.
func (s *Server) fixture(m *message, e era) (a answer, f *fault, ok bool) {
	if s.fixed == nil {
		return a, nil, false
	}
	about := m.params.Get("name").Text()
	if m.method == "resources/read" {
		about = m.params.Get("uri").Text()
	}
	of := s.fixed.Answers[m.method]
	x, ok := of[about]
	if !ok {
		x, ok = of[""]
	}
	switch {
	case !ok || x.Legacy && e.modern:
		return a, nil, false
	case x.Error != nil:
		return a, &fault{code: x.Error.Code, message: x.Error.Message, data: string(compact(x.Error.Data))}, true
	}
	result, f := x.round(m.params)
	if f != nil {
		return a, f, true
	}
	token := m.params.Get("_meta").Get("progressToken")
	for _, n := range x.Notices {
		if about := bytes.Contains(n, []byte(progressToken)); about && token.Valid() || !about && !e.modern {
			a.notices = append(a.notices, compact(bytes.ReplaceAll(n, []byte(progressToken), token.Raw())))
		}
	}
	said := string(compact(result))
	for given := range m.params.Get("arguments").Children() {
		value := quote(given.Text())
		said = strings.ReplaceAll(said, "${"+given.Key()+"}", string(value[1:len(value)-1]))
	}
	parts := [][]byte{[]byte(said)}
	if e.modern && !strings.Contains(said, `"resultType"`) {
		head := s.head(e)
		if strings.HasSuffix(m.method, "/list") || m.method == "resources/read" {
			head = append(head, ttl(s.lim)...)
		}
		parts = [][]byte{head, []byte(said[1:])}
	}
	a.era, a.parts = e, response(m.id, parts...)
	return a, nil, true
}

const progressToken = `"${progressToken}"`

// round is the result that is next for a client with what it sent back.
func (x *fixture) round(params source.Node) (json.RawMessage, *fault) {
	state, given := params.Get("requestState").Text(), params.Get("inputResponses")
	if given.Valid() && given.Kind() != source.Object {
		return nil, faulty(wire.CodeInvalidParams, "inputResponses is no object")
	}
	result := x.Result
	for _, next := range x.Again {
		var asked struct {
			RequestState  string
			InputRequests map[string]json.RawMessage
		}
		if err := json.Unmarshal(result, &asked); err != nil {
			return nil, faulty(wire.CodeInternal, "the fixture is broken")
		}
		if given.Valid() && state == asked.RequestState {
			for name := range asked.InputRequests {
				if given.Get(name).Kind() != source.Object { // asked once more
					return result, nil
				}
			}
			return next, nil
		}
		result = next
	}
	if state != "" {
		return nil, faulty(wire.CodeInvalidParams, "requestState is none that was sent")
	}
	return x.Result, nil
}

// compact is JSON in one line.
func compact(raw []byte) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return raw
	}
	return b.Bytes()
}
