package endpoint

import "github.com/mcpassay/mcpassay/internal/model/wire"

// kind is what a trial sends, as far as what may answer it goes.
type kind uint8

const (
	// other is a stream, a notification, an HTTP verb, the end of input or a list that stands elsewhere in the document: the
	// rule that knows it judges it.
	other kind = iota
	// request is a well-formed request: a JSON-RPC response is due.
	request
	// junk is a message that is none, or a bad one: over HTTP a JSON-RPC error is due, on stdio silence is allowed too.
	junk
	// gate is what HTTP itself may refuse, before anyone reads the message: any 4xx will do.
	gate
	// document is the GET of a discovery document.
	document
)

// asked says what each trial sends, in the words of a message.
var asked = map[wire.Trial]struct {
	kind  kind
	words string
}{
	wire.Initialize:            {request, "initialize"},
	wire.Initialized:           {other, "notifications/initialized"},
	wire.InitializeAgain:       {request, "a second initialize"},
	wire.InitializeUnpublished: {request, "initialize for a revision that nobody published"},
	wire.InitializeVersion:     {request, "initialize for an older revision"},
	wire.InitializeFixed:       {gate, "initialize with a session id of the client's own"},
	wire.InitializeInSession:   {request, "initialize in a session"},
	wire.Discover:              {request, "server/discover"},
	wire.DiscoverAgain:         {request, "a second server/discover"},
	wire.DiscoverUnpublished:   {request, "server/discover for a revision that nobody published"},
	wire.VersionMismatch:       {gate, "a version that differs between header and body"},
	wire.MethodMismatch:        {gate, "an Mcp-Method that differs from the body's method"},
	wire.MethodHeaderMissing:   {gate, "a request without Mcp-Method"},
	wire.NameMismatch:          {gate, "an Mcp-Name that differs from the body's tool"},
	wire.MetaMissing:           {request, "a request without _meta"},
	wire.CapabilitiesMissing:   {request, "a request without clientCapabilities"},
	wire.PingRemoved:           {request, "ping, which 2026-07-28 removed"},
	wire.InitializeRemoved:     {request, "initialize, which 2026-07-28 removed"},
	wire.SessionIgnored:        {request, "a request with a session id"},
	wire.Listen:                {other, "subscriptions/listen"},
	wire.ToolsList:             {other, "tools/list"},
	wire.ToolsAgain:            {request, "a second tools/list"},
	wire.CursorUnknown:         {request, "a cursor that it never gave"},
	wire.VersionHeaderUnknown:  {gate, "an MCP-Protocol-Version that nobody published"},
	wire.SessionMissing:        {gate, "a request without its session"},
	wire.SessionBogus:          {gate, "a session id that it never gave"},
	wire.SessionEnded:          {gate, "a session that was ended"},
	wire.SessionDelete:         {other, "DELETE of the session"},
	wire.StreamGet:             {other, "GET"},

	wire.UnknownMethod:   {request, "an unknown method"},
	wire.UnknownTool:     {request, "a call of an unknown tool"},
	wire.CallWithoutName: {request, "a call that names no tool"},
	wire.NotJSONBody:     {junk, "a body that is no JSON"},
	wire.NoJSONRPC:       {junk, `a message without "jsonrpc"`},
	wire.IDNull:          {junk, "the id null"},
	wire.IDFraction:      {junk, "the id 1.5"},
	wire.IDObject:        {junk, "an object as id"},
	wire.BatchBody:       {junk, "a batch"},
	wire.BatchEmpty:      {junk, "an empty batch"},
	wire.ParamsArray:     {junk, "an array as params"},
	wire.ParamsNull:      {junk, "null as params"},
	wire.InvalidUTF8:     {junk, "text that is not UTF-8"},
	wire.DeepBody:        {junk, "a body that nests 5,000 deep"},
	wire.LargeBody:       {gate, "a body of 5 MiB"},
	wire.JunkLine:        {junk, "a line that is no JSON"},

	wire.AcceptAny:      {gate, "Accept: */*"},
	wire.AcceptJSON:     {gate, "Accept: application/json"},
	wire.AcceptEvents:   {gate, "Accept: text/event-stream"},
	wire.ContentType:    {gate, "Content-Type: text/plain"},
	wire.VerbPut:        {other, "PUT"},
	wire.VerbHead:       {other, "HEAD"},
	wire.VerbOptions:    {other, "OPTIONS"},
	wire.OriginEvil:     {gate, "a foreign Origin"},
	wire.HostEvil:       {gate, "a foreign Host"},
	wire.HostOriginEvil: {gate, "a foreign Host and Origin"},
	wire.HostValid:      {gate, "its own Host and Origin"},
	wire.InputClosed:    {other, "the end of its input"},

	wire.ResourceAtPath:   {document, "the resource metadata of the endpoint's path"},
	wire.ResourceAtRoot:   {document, "the resource metadata at the root"},
	wire.AuthServer:       {document, "the authorization server's metadata"},
	wire.AuthServerAtPath: {document, "the authorization server's metadata of the endpoint's path"},
	wire.OpenIDAtRoot:     {document, "the OpenID configuration"},
	wire.OpenIDAtPath:     {document, "the OpenID configuration of the endpoint's path"},
	wire.OpenIDAppended:   {document, "the OpenID configuration below the endpoint"},
	wire.WellKnownMCP:     {document, "/.well-known/mcp"},
	wire.WellKnownJSON:    {document, "/.well-known/mcp.json"},
	wire.RootJSON:         {document, "/mcp.json"},
	wire.LLMsText:         {document, "/llms.txt"},
	wire.RandomPath:       {document, "a path that can not exist"},
	wire.ServerCard:       {document, "the server card"},
	wire.AICatalog:        {document, "the AI catalog"},
}
