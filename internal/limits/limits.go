// Package limits holds every number that bounds what the product reads, keeps or prints. Nothing else
// in the product writes a size, a depth, a count or a duration down.
package limits

import "time"

// KiB and MiB are the units that the limits are written in.
const (
	KiB = 1 << 10
	MiB = 1 << 20
)

// Set is the limits of one run. Every field says its unit and why the number is what it is.
type Set struct {
	// Files and folders. Sizes are bytes.

	// FoundBytes bounds a file that was found, not named (seed warden-doctor: 8 MiB).
	FoundBytes int
	// NamedBytes bounds a file that a person named. The tree of a file is about as large as the file.
	NamedBytes int
	// YAMLBytes bounds a YAML file: its parser takes 100 bytes for one.
	YAMLBytes int
	// Depth is how deep a document may nest, the root being 0.
	Depth int
	// Values bounds the values of one document, counted before the tree is allocated.
	Values int
	// AliasValues bounds the values that the aliases of one YAML document repeat: a bomb of 400 bytes asks for billions.
	AliasValues int
	// WalkDepth is how many folders below the named one lint enters.
	WalkDepth int
	// WalkEntries bounds the folder entries that one walk looks at.
	WalkEntries int
	// WalkUp is how many ancestors doctor looks at (seed warden-doctor: 32).
	WalkUp int
	// LockDepth is how many folders below the working folder doctor enters to find locks (seed warden-doctor: 4), LockEntries
	// how many entries of folders it looks at there: the working folder may be a home. Locks is how many it reads, LockBytes how
	// much of them in all: each is read whole and checked.
	LockDepth, LockEntries, Locks, LockBytes int
	// IgnoreBytes bounds one .gitignore file.
	IgnoreBytes int
	// IgnorePatterns bounds the patterns of one .gitignore file: each is tried on each candidate.
	IgnorePatterns int
	// IndexBytes bounds the .git/index that is read for the tracked state of a file.
	IndexBytes int
	// GitFileBytes bounds the small files of a git folder: a .git file, commondir, config.
	GitFileBytes int
	// BackupNameBytes is how much of a file's own name its backup's name keeps (a name may have 255 bytes).
	BackupNameBytes int
	// BackupIDChars is how many hex characters of a digest tell backups apart.
	BackupIDChars int
	// BackupsKept is how many dated backups of one file are kept: the oldest one goes.
	BackupsKept int
	// EditSteps is how many edits one after the other may change an entry: more than it has fields, and an end.
	EditSteps int

	// What is shown, and how much is found.

	// ShownRunes is how much of an untrusted string is printed (seed warden-doctor: 200).
	ShownRunes int
	// ShownURLRunes is the same for a URL in a command to paste (seed warden-doctor: 2048).
	ShownURLRunes int
	// ShownServers is how many servers of one file doctor's table lists unless -v is given.
	ShownServers int
	// ExcerptLead is how many bytes of what is the same are shown before a difference that lies far behind in a long line.
	ExcerptLead int
	// ShownColumns is how far a server's name may widen its column of doctor's table.
	ShownColumns int
	// ShownRelated is how many related places of a finding the text report lists unless -v is given.
	ShownRelated int
	// ShownNames is how many names the message of one finding lists.
	ShownNames int
	// ShownEdits is how many edits a fix may have that a report shows: one takes several times the bytes that it changes.
	ShownEdits int
	// LogBytes is how large a log may grow before the next file is begun; LogRecordBytes how large one record may be.
	LogBytes       int64
	LogRecordBytes int
	// LogTargets is how many targets the record of one run names; LogFiles how many files of one log are read together.
	LogTargets, LogFiles int
	// TrustSigners is how many signers a trust file may list.
	TrustSigners int
	// BundleBytes is how large a Sigstore bundle may be; BundleParts how many entries of logs, and how many time stamps, it may
	// have, and BundleSubjects how many files its statement may be about (as sigstore-go has them).
	BundleBytes                 int
	BundleParts, BundleSubjects int
	// DriftPointers is how many places of one change are listed.
	DriftPointers int
	// ShownArgs is how many arguments of a server a list shows.
	ShownArgs int
	// ShownFaults is how many faults of one document a validator lists.
	ShownFaults int
	// ApprovalText is how long each text of an approval may be (seed mcp-warden: 1000 characters).
	ApprovalText int
	// LockName is how long the name of a server in a lock may be.
	LockName int
	// LockSignatures is how many signatures of one server are looked at: each is tried with every trusted key.
	LockSignatures int
	// WriterWait is how long a writer waits for another one to be done with a folder, and WriterPause how long between looks.
	WriterWait, WriterPause time.Duration
	// RuleFindings is how many findings of one rule in one file are listed one by one.
	RuleFindings int
	// RelatedPlaces is how many further places a finding that stands for many entries carries.
	RelatedPlaces int
	// ShownItems is how many findings, tools, servers and things not checked each list of an HTML report holds: a browser
	// opens such a page at once. The rest is counted.
	ShownItems int
	// ShownLines is how many lines of one edit an HTML report shows.
	ShownLines int
	// MarkdownBytes bounds a Markdown report: a GitHub comment holds 65,536 characters.
	MarkdownBytes int
	// NextSteps is how many commands doctor ends with, PinSteps for how many about locks there is room whatever else is to do.
	NextSteps, PinSteps int
	// AnswerBytes is how much of a person's answer is read.
	AnswerBytes int
	// NameSuffix is how many hex digits keep two entries of one name in a lock apart.
	NameSuffix int
	// ProgressAfter is how long a run may last before it shows how far it is.
	ProgressAfter time.Duration
	// Suppressions bounds those of one policy, and the suppression comments of one document (seed tool-card-linter: 512).
	Suppressions int
	// LongestAge is how old a release may be asked to be (seed mcpm-contracts: ten years).
	LongestAge time.Duration
	// SuppressionDays is how long a suppression may last.
	SuppressionDays int
	// FixRounds is how often fixes are applied, parsed and judged again.
	FixRounds int
	// FixTries is how often the result of fixes of one file is parsed and judged, over all rounds.
	FixTries int

	// The memory of a run.

	// HeapBase and HeapPerByte are how much memory a run may take, in bytes and in bytes for each byte that it reads,
	// before the garbage collector starts to work.
	HeapBase, HeapPerByte int
	// HeapPerFile is for how many bytes a file counts beside its own, since a small file's entries and findings take
	// more than its text.
	HeapPerFile int
	// HeapStep is how many bytes are read before that is reckoned anew.
	HeapStep int

	// Secrets, entries and launch lines of configs.

	// MatchUnit bounds the text that one secret pattern looks at.
	MatchUnit int
	// MaskRounds is how often masked text is looked at again: a mask can put the text behind it at the start of a word.
	MaskRounds int
	// TokenWindow bounds what the expression of one credential form looks at, in bytes. A longer token is
	// followed to its end without the expression.
	TokenWindow int
	// ToolNameRoom is how many characters a server's name must leave for the names of its tools: most tools of
	// public servers have 20 or fewer.
	ToolNameRoom int
	// TimeoutSeconds is the longest timeout that somebody writes down in seconds; more is meant in milliseconds.
	TimeoutSeconds int
	// TimeoutMillis is the shortest timeout that somebody writes down in milliseconds; less is meant in seconds.
	TimeoutMillis int
	// LaunchDepth is how deep shells, wrappers and substitutions of a launch line may nest.
	LaunchDepth int
	// LaunchRereads is how often the bytes of a launch line may be read again as nested scripts.
	LaunchRereads int
	// LaunchCommands bounds the commands of all scripts of a launch line: one takes about 1 KiB.
	LaunchCommands int

	// What servers expose: cards and the texts in them.

	// NameBytes is how much of a name is read for its words: the specification allows 128 characters.
	NameBytes int
	// ClaimBytes is how much of a description is read for what its tool does: the first sentences say it.
	ClaimBytes int
	// ParameterDepth is how many objects deep the parameters of a tool are looked at.
	ParameterDepth int
	// Reasons is how many reasons of the decision on one tool a report gives, ReasonRunes how long each may be.
	Reasons, ReasonRunes int
	// LookalikeSteps bounds the words that are compared to find descriptions alike among the tools of one file.
	LookalikeSteps int
	// ToolNameBytes is how long a tool's name may be (MCP specification 2025-11-25, SEP-986).
	ToolNameBytes int
	// PropertyNameBytes is how long a parameter's name may be for the Anthropic API (anthropics/claude-code#79418).
	PropertyNameBytes int
	// DescriptionRunes is what a description of a tool that says something has at least (seed tool-card-linter: 24).
	DescriptionRunes int
	// EffectiveSize is with how many digits a maximum length still bounds something (seed tool-card-linter: 1,000,000).
	EffectiveSize int
	// FoldGrowth is how many times longer than its source a text may be that is made searchable, FoldRoom what a short one may
	// take beyond: U+FDFA alone becomes eighteen letters.
	FoldGrowth, FoldRoom int
	// DecodedBytes bounds what of one card is decoded and judged: base64, hex, letters that are not seen.
	DecodedBytes int
	// SeamBytes bounds what of one card is judged once more where one string may go on in another: honest cards have a few
	// such places, of some hundred bytes each.
	SeamBytes int
	// EvalBytes bounds a file of labelled cards, EvalLineBytes one case of it: a hostile card of 4 MiB is one that a
	// server may send.
	EvalBytes, EvalLineBytes int
	// EvalCases is how many labelled cards one file may hold: all are judged together.
	EvalCases int

	// JSON Schemas of strangers.

	// SchemaNodes is how many schemas of one JSON Schema are looked at, those in it included. MCP 2026-07-28 says that
	// clients should bound them.
	SchemaNodes int
	// SchemaDepth is how deep schemas may nest in each other, the root being 0. One level may be two of JSON.
	SchemaDepth int
	// SchemaURIBytes is how long a URI in a schema may be, with the base that it stands on.
	SchemaURIBytes int
	// SchemaFaults is how many faults of one schema are listed.
	SchemaFaults int
	// SchemaExpansion is how many schemas one may become when references are replaced by what they lead to.
	SchemaExpansion int64
	// SchemaSteps is how much judging one value may cost: a step is a schema or a member looked at, or 64 bytes of text.
	SchemaSteps int64
	// SchemaCalls is how deep schemas may call each other over one value.
	SchemaCalls int
	// NumberDigits is how many digits a number may have for multipleOf to look at it.
	NumberDigits int
	// PatternDepth is how deep the groups of a pattern may nest; RE2 takes 1,000.
	PatternDepth int
	// PatternBytes is how long a pattern may be that is matched, and PatternSize how many instructions it may take with
	// its repeats written out: RE2 takes 40 bytes for one.
	PatternBytes int
	PatternSize  int64
	// PatternWork is how many steps the patterns of one schema may take to look for one text that is read in two ways;
	// one of 64 characters takes some 5,000.
	PatternWork int
	// PatternTime is how long all patterns that RE2 can not match may take over one value.
	PatternTime time.Duration

	// A peer on the wire. Sizes are bytes.

	// ScanAtOnce is how many servers scan asks at once unless told otherwise (seed tool-card-linter: 4 workers).
	ScanAtOnce int
	// ScanTargets bounds the servers of one scan (seed tool-card-linter: 128).
	ScanTargets int
	// HandshakeBytes is the most that the answer to initialize or server/discover may hold.
	HandshakeBytes int
	// PageBytes is the most that one page of a list, one line of a stdio server or any other answer may hold: the largest
	// page seen in the wild has 144 KB.
	PageBytes int
	// ErrorBodyBytes is how much of the body of an HTTP error is read.
	ErrorBodyBytes int
	// HeaderBytes bounds the header of an HTTP answer.
	HeaderBytes int
	// InflateRatio is how many times larger than its compressed form a body may be.
	InflateRatio int
	// EventLineBytes bounds a line of an event stream. SDKs send a whole page as one line, so it is not less than PageBytes.
	EventLineBytes int
	// EventBytes bounds the data of one event of an event stream.
	EventBytes int
	// StreamBytes bounds the event stream that answers one request: a page, and the notifications before it.
	StreamBytes int
	// StreamAhead is how many events of a lasting stream are kept while nobody waits for one.
	StreamAhead int
	// AnswerFrames is how many frames may precede the one that is waited for: servers send bursts of notifications.
	AnswerFrames int
	// AnsweredRequests is how many requests of a server one connection answers.
	AnsweredRequests int
	// FrameDepth is how deep a frame may nest: less than Depth, so that an answer can be part of a saved surface.
	FrameDepth int
	// FrameValues bounds the JSON values of a frame: its tree takes 24 bytes for each, and no honest page has one in 4 bytes.
	FrameValues int
	// GuardedFrame is the largest frame that the guard judges, in bytes: what the relay moves at most.
	// GuardedBatch is how many messages a batch may have, GuardedRequests how many requests of a side are kept that have no answer
	// yet, GuardedTools how many tools a session remembers, GuardedFindings how many findings of a frame are kept.
	GuardedFrame, GuardedBatch, GuardedRequests, GuardedTools, GuardedFindings int
	// GuardedRate is how many calls a rate may allow: as many times are kept, 8 bytes each. GuardedHeld and GuardedHeldBytes are how
	// many calls, and how many bytes of them, wait for a person or for a list. GuardedShown is how many characters of a call's
	// arguments a person is shown.
	GuardedRate, GuardedHeld, GuardedHeldBytes, GuardedShown int
	// GuardedPages is how many pages of a list of tools the guard asks for by itself.
	GuardedPages int
	// Capabilities is how many capabilities of a server a report names: every revision knows fewer than ten.
	Capabilities int
	// SurfaceBytes bounds the pages of one surface, and SurfaceValues the JSON values in them: together they stay below
	// NamedBytes and Values, so that a surface that was saved can be read again.
	SurfaceBytes, SurfaceValues int
	// SurfaceServers is how many servers of one document are judged: they are compared with each other.
	SurfaceServers int
	// Trials is how many trials a saved surface holds at most; TrialBody how much of one body is kept.
	Trials, TrialBody int
	// ProbeRequests is how many requests a probe makes in one era, ProbeDeepRequests how many where a person asked for
	// more, and ProbeAtOnce how many of them at the same time.
	ProbeRequests, ProbeDeepRequests, ProbeAtOnce int
	// ProbePages is how many pages of tools/list a deep probe reads.
	ProbePages int
	// ProbeTools is how many tools a probe reads: no further page once there are so many.
	ProbeTools int
	// ProbeNesting is how many arrays the body of the trial deep-body nests, ProbeLarge how many bytes that of large-body has.
	ProbeNesting, ProbeLarge int
	// ListPages is how many pages of one list are asked for. Servers that page use 20 to 100 items a page.
	ListPages int
	// ListItems is how many items of one list are asked for: no further page once there are so many.
	ListItems int
	// CursorBytes bounds the cursor of a next page.
	CursorBytes int
	// URLBytes bounds a URL that is opened.
	URLBytes int
	// CredentialBytes bounds a file that holds a credential.
	CredentialBytes int
	// DocumentBytes bounds the documents of authorisation (metadata, registrations, answers with tokens) and those of
	// discovery, which a transcript keeps whole.
	DocumentBytes int
	// DocumentDepth is how deep such a document may nest: those of the RFCs take three levels.
	DocumentDepth int
	// AuthServers is how many authorization servers of one resource are read, AuthScopes how many scopes are asked for.
	AuthServers, AuthScopes int
	// TokenBytes bounds a token, an authorization code and a client's id: a header has to hold it.
	TokenBytes int
	// KeptTokens is how many tokens of `auth login` are kept, KeptBytes how large the file of one may be.
	KeptTokens, KeptBytes int
	// SessionBytes bounds the id of a session, as it is sent back.
	SessionBytes int
	// DetailBytes is how much of a stranger's text a fault keeps.
	DetailBytes int

	// What strangers ask of our own server. Sizes are bytes.

	// A2ABytes bounds the body of an A2A request: no skill of its agents takes more than a URL.
	A2ABytes int
	// A2AParts bounds the parts of a message: the first that asks for something counts.
	A2AParts int

	// How long a peer is waited for.

	// DialTime is how long one address may take to accept a connection, TLSTime how long the handshake on it may take.
	DialTime, TLSTime time.Duration
	// HeaderTime is how long an answer's header may take after the request is written.
	HeaderTime time.Duration
	// ProbeDeepTime is how long all requests of a deep probe may take together, WatchPause the shortest pause between two
	// probes of one server.
	ProbeDeepTime, WatchPause time.Duration
	// ListenTime is how long a probe waits for the first message of a stream, QuietTime how long for a word about a line
	// that a stdio server should refuse, once it has answered what was sent behind it.
	ListenTime, QuietTime time.Duration
	// IdleTime is how long a body may pause between two bytes. Event streams may pause: RequestTime bounds those.
	IdleTime time.Duration
	// RequestTime is how long one request may take, its whole answer included.
	RequestTime time.Duration
	// StartTime is how long the first answer of a local server may take: its runtime has to start.
	StartTime time.Duration
	// EraTime is how long the lane of one era of the protocol is waited for once the other's has answered.
	EraTime time.Duration
	// RunTime is how long all requests to one server may take together.
	RunTime time.Duration
	// CloseTime is how long ending a session may take.
	CloseTime time.Duration
	// AuthTime is how long the state of an authorization is good for: a person reads a page and types a password.
	AuthTime time.Duration
	// LoginTime is how long `auth login` waits for the person unless told otherwise.
	LoginTime time.Duration
	// TokenEarly is how long before its end a token is taken for expired.
	TokenEarly time.Duration
	// KeychainTime is how long the keychain has to answer: it may ask a person to unlock it.
	KeychainTime time.Duration
	// CallbackConns is how many connections the listener of `auth login` holds at once, CallbackTime how long each lasts.
	CallbackConns int
	CallbackTime  time.Duration
	// RetryWait is the pause before a list request is repeated, doubled for each further one; RetryAfter is the longest
	// pause that a server may ask for. ListRetries is how often one request is repeated.
	RetryWait, RetryAfter time.Duration
	ListRetries           int
	// StreamRetries is how often a broken event stream is resumed, StreamRetryWait the longest pause before that.
	StreamRetries   int
	StreamRetryWait time.Duration

	// The MCP registry, and those of packages.

	// RegistryPage is how many records of a listing are asked for at once (the registry gives 100 at most), RegistryPages
	// how many pages of one listing are read: a registry without an end is none.
	RegistryPage, RegistryPages int
	// SearchRunes is how many characters a search term has at least: the registry takes no shorter one.
	SearchRunes int
	// SearchRows is how many rows a search prints unless told otherwise, SearchMost how many it may be told.
	SearchRows, SearchMost int
	// StatusRunes is how much of what a registry says of a status is kept (seed mcpm-contracts: 256 characters).
	StatusRunes int
	// ServeQueryRunes bounds what mcpassay_search is asked, ServeNameRunes a name or a version, in characters (mcpm: 200).
	ServeQueryRunes, ServeNameRunes int
	// ServeSetupRunes bounds what mcpassay_setup is told (mcpm: 1,000), ServeKeywords the words of it that are looked for.
	ServeSetupRunes, ServeKeywords int
	// ManifestHead is how much of a server.json that can not be parsed is searched for the word that makes it one, ManifestMeta
	// how many bytes of its own a publisher may add to one (the registry's bound: 4 KiB).
	ManifestHead, ManifestMeta int
	// ArchiveBytes is the most that a tar file to be reviewed may hold as it lies there, ArchiveContent what may come out of it:
	// beyond ArchiveFree bytes no more than ArchiveRatio times what went in (text packs to a tenth, a bomb to a thousandth).
	ArchiveBytes   int
	ArchiveContent int64
	ArchiveFree    int
	ArchiveRatio   int
	// ArchiveEntries bounds its entries, ArchiveName the bytes of one name and ArchiveNames those of all, ArchiveDepth the folders
	// above a file, ArchiveHeader an extended header. ArchiveBuffer is how much is read at a time. ArchiveListed is how many added,
	// removed and changed files a receipt lists: it says so where there are more.
	ArchiveEntries, ArchiveName, ArchiveNames, ArchiveDepth, ArchiveHeader, ArchiveBuffer, ArchiveListed int
	// ScopeFiles is how many files of a project's folders an inventory of it takes up.
	ScopeFiles int
	// RegistryAtOnce is how many servers are resolved or verified at the same time.
	RegistryAtOnce int
	// RegistryTries is how often a registry that fails is asked again.
	RegistryTries int
	// KeptAnswers and KeptAnswerBytes bound the answers of registries that are kept on disk: those of a listing of 11,000
	// records take 110 files and 15 MiB.
	KeptAnswers     int
	KeptAnswerBytes int64
	// ReleaseFresh is the age below which a release may be one that nobody has looked at yet, ReleaseAged the one from which
	// the seed's score counts it as old (seed mcpm-contracts and its program: 24 hours, 30 days).
	ReleaseFresh, ReleaseAged time.Duration
	// ArtifactBytes bounds a file of a package, ArtifactTime how long its download may take, FetchHops how many redirects it
	// may go through: hosts of releases lead to their stores.
	ArtifactBytes int
	ArtifactTime  time.Duration
	FetchHops     int
	// NPMTime is how long the user's npm may take to say what its registry is.
	NPMTime time.Duration
	// ListingBytes bounds the kept index of a registry: one of 11,000 servers takes 1.5 MB. IndexOverlap is how much earlier than
	// its last listing a later one begins, as the registry's clock is another one.
	ListingBytes int
	IndexOverlap time.Duration
	// OSVPages is how many pages of what is known of one package are read. OSVBytes bounds a database of vulnerabilities that
	// stands in files, unpacked, and OSVEntry one record of it.
	OSVPages           int
	OSVBytes, OSVEntry int64
	// KeptSecrets is how many secrets of configs are kept, SecretBytes how large one may be: a private key is.
	KeptSecrets, SecretBytes int
	// KnownStale is the age from which on a kept answer about vulnerabilities says nothing any more.
	KnownStale time.Duration
	// AuditAtOnce is how many servers are looked into at once, AuditServers how many one audit takes.
	AuditAtOnce, AuditServers int

	// Our own server.

	// AskedBytes bounds the body of one request, and one line on standard input: the largest config in the wild is far
	// smaller, and SDKs take the same 4 MiB. AskedHeader bounds a request's header.
	AskedBytes, AskedHeader int
	// AskedHeld bounds the bodies of all requests at hand together: a tree takes as much again. HeldStep is how much room
	// a body of unknown length takes at a time.
	AskedHeld, HeldStep int
	// AskedDrain is how much of a body over its limit is read and thrown away, so that its sender sees the answer.
	AskedDrain int64
	// ServeConns is how many connections are open at once; more wait to be accepted.
	ServeConns int
	// ServeHeaderTime and ServeBodyTime are how long the header and the body of a request may take, ServeWriteTime how
	// long an answer may wait to be read, ServeIdle how long a connection may be silent between two requests.
	ServeHeaderTime, ServeBodyTime, ServeWriteTime, ServeIdle time.Duration
	// ServeStall is how long a caller may leave unread what comes to it bit by bit.
	ServeStall time.Duration
	// ServeEnd is how long what is being answered has once the server is to end.
	ServeEnd time.Duration
	// ServeBatch is how many messages of one batch are answered (only before 2025-06-18).
	ServeBatch int
	// ServeIDBytes bounds the id of a request, which every answer repeats.
	ServeIDBytes int
	// ServeJobs is how many calls that judge run at once, ServeProbes how many that ask others, ServeJobWait how long one
	// more waits for its turn.
	ServeJobs, ServeProbes int
	ServeJobWait           time.Duration
	// ServeEntries is how many servers, tools and the like of one document or endpoint are judged for a caller, ServeFindings how
	// many findings an answer holds: a report takes a hundred times the bytes of an empty entry, and a caller may not read it.
	ServeEntries, ServeFindings int
	// ServeLines is how many calls of one stdio client run at once.
	ServeLines int
	// ServeTTL is how long a client may keep our lists: they change with the program only.
	ServeTTL time.Duration
	// Callers is how many callers are remembered, CallerTime for how long after their last call.
	Callers    int
	CallerTime time.Duration
	// CallerProbes and TargetProbes are how many probes one caller and one target host get in ProbeWindow.
	CallerProbes, TargetProbes int
	ProbeWindow                time.Duration
	// ServeTokenBytes is the least that the token of an open address has: less can be guessed.
	ServeTokenBytes int

	// Children, and what they run in.

	// ChildLine bounds one line that a child writes to its standard output, in bytes (the largest answer seen has
	// 144,291).
	ChildLine int
	// ChildBuffer is how many bytes are read from a child at once: what a pipe of Linux holds.
	ChildBuffer int
	// ChildStderr is how many of the last bytes of a child's standard error are kept.
	ChildStderr int
	// ChildWrite is how long a child may leave a line unread on its standard input.
	ChildWrite time.Duration
	// ChildGrace is how long a child has to end by itself once its standard input is closed (measured: 0.03 s).
	ChildGrace time.Duration
	// ChildKill is how long a child has between SIGTERM and SIGKILL.
	ChildKill time.Duration
	// ChildPoll is how often is looked for processes that are to end.
	ChildPoll time.Duration
	// ChildReap is how long the system has to end a child that was killed: one inside a system call may take a while.
	ChildReap time.Duration
	// GuardBuffer is what the guard reads at once, and GuardLargeBuffer what it goes on with for a frame that is larger, in bytes.
	GuardBuffer, GuardLargeBuffer int
	// GuardDrain is how long a server may go on answering once its client has closed its input.
	GuardDrain time.Duration
	// GuardSessions is how many sessions over HTTP are kept. One that nobody used for GuardSessionIdle makes room for another; where
	// none is so old, no further one is begun.
	GuardSessions    int
	GuardSessionIdle time.Duration
	// GuardSessionID is how long the id of a session over HTTP may be, in bytes.
	GuardSessionID int
	// GuardReply is how long it may take to tell a server over HTTP that a request of its own was stopped.
	GuardReply time.Duration
	// GuardLog is how many bytes of events are kept in a file before another is begun, and GuardFollow how often it is looked for more.
	GuardLog    int
	GuardFollow time.Duration
	// GatewayServers is how many servers stand behind one gateway. GatewayWord is how long the word for one may be in the names that
	// clients see, in bytes: the rest is for tools.
	GatewayServers, GatewayWord int
	// GatewayStarts is how many servers are started or asked for a list at once, GatewayListTime how long a client waits for a list
	// of all: clients give up after 30 to 60 s.
	GatewayStarts   int
	GatewayListTime time.Duration
	// GatewayQueue is how many jobs wait for one server, GatewayCalls how many requests of one have no answer yet, GatewayAsks how
	// many of a server's own requests the client has at once.
	GatewayQueue, GatewayCalls, GatewayAsks int
	// GatewayBackoff is how long a server that failed is left down, twice as long each time, and GatewayBackoffMost the longest.
	// GatewayRestarts is how often one may fail in a row, and GatewaySettled how long it lives to begin that row anew. GatewayWait is
	// how long a call waits for the time to come.
	GatewayBackoff, GatewayBackoffMost time.Duration
	GatewayRestarts                    int
	GatewaySettled, GatewayWait        time.Duration
	// GatewayPing is how long a server may be silent before it is asked whether it is there, GatewayPong how long it has to say so.
	GatewayPing, GatewayPong time.Duration
	// GatewayPage is how many items one page of our lists has, GatewayPageBytes how many bytes: some clients ask for no second page.
	GatewayPage, GatewayPageBytes int
	// GatewayInstructions bounds what all servers together tell every model, in bytes.
	GatewayInstructions int
	// GuardAsk is how long a call waits for a person's leave, GuardList for the server's list of tools.
	GuardAsk, GuardList time.Duration
	// GuardPause is the longest pause that a guard may be told to make, GuardLeave how long something may be allowed, GuardAllow how
	// long it is where nobody says, and GuardLeaves how many things are.
	GuardPause, GuardLeave, GuardAllow time.Duration
	GuardLeaves                        int
	// EnvVars, EnvChars and EnvBytes bound a child's environment: its variables, the bytes of one value, and all of it.
	EnvVars, EnvChars, EnvBytes int
	// InstalledBytes is how large a file of an installed package, or its tarball, may be that is compared with what a lock holds, and
	// InstalledWrong how many that are others are named.
	InstalledBytes, InstalledWrong int

	// SandboxCPU is how much CPU time a confined child may take, more than any scan lasts. A child has no limit of its
	// address space: Node reserves gigabytes that it never uses, and dies at its start under one.
	SandboxCPU time.Duration
	// SandboxFile is how large a file a confined child may write, in bytes.
	SandboxFile int
	// SandboxProcesses is how many processes and threads a confined child may add.
	SandboxProcesses int
	// SandboxMemory and SandboxTmp are the bytes of memory and of temporary files where a backend can bound them.
	SandboxMemory, SandboxTmp int
	// SandboxCPUs is how many processors a container may keep busy.
	SandboxCPUs int
	// SandboxPaths is how many files and folders a folder that holds secrets is opened as.
	SandboxPaths int
	// SandboxProbe is how long a backend has to show that it works here.
	SandboxProbe time.Duration
	// Prefetch is how long a package runner may take to download a server.
	Prefetch time.Duration
	// InterruptTime is how long what was started has to end once this program is interrupted: a child that ignores all but
	// SIGKILL takes ChildKill and ChildReap.
	InterruptTime time.Duration
	// ShebangBytes is how much of a script is read for its first line (Linux reads 256).
	ShebangBytes int
	// ProjectUp is how many folders above a script its project is looked for.
	ProjectUp int
}

// Default is the set that every verb uses.
var Default = Set{
	FoundBytes:      8 * MiB,
	NamedBytes:      64 * MiB,
	YAMLBytes:       1 * MiB,
	Depth:           256,
	Values:          8_000_000,
	AliasValues:     100_000,
	WalkDepth:       64,
	WalkEntries:     2_000_000,
	WalkUp:          32,
	LockDepth:       4,
	LockEntries:     10_000,
	Locks:           32,
	LockBytes:       16 * MiB,
	IgnoreBytes:     1 * MiB,
	IgnorePatterns:  10_000,
	IndexBytes:      256 * MiB,
	GitFileBytes:    256 * KiB,
	BackupNameBytes: 128,
	BackupIDChars:   12,
	BackupsKept:     20,
	EditSteps:       500,

	ShownRunes:      200,
	ShownURLRunes:   2048,
	ShownServers:    20,
	ExcerptLead:     80,
	ShownColumns:    40,
	ShownRelated:    3,
	ShownNames:      5,
	ShownEdits:      100,
	LogBytes:        256 * MiB,
	LogRecordBytes:  32 * KiB,
	LogTargets:      32,
	LogFiles:        10_000,
	TrustSigners:    1_000,
	BundleBytes:     1 * MiB,
	BundleParts:     32,
	BundleSubjects:  1024,
	DriftPointers:   256,
	ShownArgs:       6,
	ShownFaults:     20,
	ApprovalText:    4 * KiB,
	LockName:        1 * KiB,
	LockSignatures:  64,
	WriterWait:      10 * time.Second,
	WriterPause:     5 * time.Millisecond,
	RuleFindings:    500,
	RelatedPlaces:   20,
	ShownItems:      1000,
	ShownLines:      12,
	MarkdownBytes:   56 * KiB,
	NextSteps:       8,
	PinSteps:        3,
	NameSuffix:      6,
	AnswerBytes:     256,
	ProgressAfter:   400 * time.Millisecond,
	Suppressions:    512,
	LongestAge:      10 * 365 * 24 * time.Hour,
	SuppressionDays: 366,
	FixRounds:       10,
	FixTries:        100,

	HeapBase:    16 * MiB,
	HeapPerByte: 12,
	HeapPerFile: 4 * KiB,
	HeapStep:    256 * KiB,

	MatchUnit:      64 * KiB,
	MaskRounds:     10,
	TokenWindow:    512,
	ToolNameRoom:   20,
	TimeoutSeconds: 9_999,
	TimeoutMillis:  500,
	LaunchDepth:    16,
	LaunchRereads:  8,
	LaunchCommands: 10_000,

	NameBytes:         256,
	ClaimBytes:        2 * KiB,
	ParameterDepth:    4,
	Reasons:           3,
	ReasonRunes:       48,
	LookalikeSteps:    5_000_000,
	ToolNameBytes:     128,
	PropertyNameBytes: 64,
	DescriptionRunes:  24,
	EffectiveSize:     6,
	FoldGrowth:        3,
	FoldRoom:          64,
	DecodedBytes:      8 * MiB,
	SeamBytes:         512 * KiB,
	EvalBytes:         64 * MiB,
	EvalLineBytes:     8 * MiB,
	EvalCases:         100_000,

	SchemaNodes:     10_000,
	SchemaDepth:     64,
	SchemaURIBytes:  2048,
	SchemaFaults:    200,
	SchemaExpansion: 100_000,
	SchemaSteps:     1_000_000,
	SchemaCalls:     2_000,
	NumberDigits:    1_000,
	PatternDepth:    250,
	PatternBytes:    16 * KiB,
	PatternSize:     10_000,
	PatternWork:     250_000,
	PatternTime:     100 * time.Millisecond,

	ScanAtOnce:       4,
	ScanTargets:      128,
	HandshakeBytes:   256 * KiB,
	PageBytes:        4 * MiB,
	ErrorBodyBytes:   64 * KiB,
	HeaderBytes:      64 * KiB,
	InflateRatio:     100,
	EventLineBytes:   4*MiB + KiB,
	EventBytes:       4 * MiB,
	StreamBytes:      16 * MiB,
	StreamAhead:      64,
	AnswerFrames:     10_000,
	AnsweredRequests: 100,
	FrameDepth:       240,
	FrameValues:      1_000_000,

	GuardedFrame:    16 * MiB,
	GuardedBatch:    1_000,
	GuardedRequests: 4_096,
	GuardedTools:    4_096,
	GuardedFindings: 32,
	GuardedRate:     10_000,

	GuardedHeld:      64,
	GuardedHeldBytes: 32 * MiB,
	GuardedShown:     600,
	GuardedPages:     100,
	Capabilities:     16,
	SurfaceBytes:     48 * MiB,
	SurfaceValues:    6_000_000,
	SurfaceServers:   10_000,
	Trials:           200,
	TrialBody:        8 * KiB,

	ProbeRequests:     19,
	ProbeDeepRequests: 120,
	ProbeAtOnce:       2,
	ProbePages:        50,
	ProbeTools:        2_000,
	ProbeNesting:      5_000,
	ProbeLarge:        5 * MiB,

	ListPages:       500,
	ListItems:       20_000,
	CursorBytes:     4 * KiB,
	URLBytes:        4096,
	CredentialBytes: 64 * KiB,
	DocumentBytes:   64 * KiB,
	DocumentDepth:   32,
	AuthServers:     10,
	AuthScopes:      100,
	TokenBytes:      16 * KiB,
	KeptTokens:      500,
	KeptBytes:       256 * KiB,
	SessionBytes:    1024,
	DetailBytes:     400,

	A2ABytes: 64 * KiB,
	A2AParts: 32,

	DialTime:        3 * time.Second,
	TLSTime:         3 * time.Second,
	HeaderTime:      6 * time.Second,
	ProbeDeepTime:   3 * time.Minute,
	WatchPause:      10 * time.Second,
	ListenTime:      1500 * time.Millisecond,
	QuietTime:       50 * time.Millisecond,
	IdleTime:        3 * time.Second,
	RequestTime:     6 * time.Second,
	StartTime:       20 * time.Second,
	EraTime:         3 * time.Second,
	RunTime:         60 * time.Second,
	CloseTime:       2 * time.Second,
	AuthTime:        10 * time.Minute,
	LoginTime:       5 * time.Minute,
	TokenEarly:      30 * time.Second,
	KeychainTime:    60 * time.Second,
	CallbackConns:   16,
	CallbackTime:    5 * time.Second,
	RetryWait:       100 * time.Millisecond,
	RetryAfter:      30 * time.Second,
	ListRetries:     2,
	StreamRetries:   3,
	StreamRetryWait: 5 * time.Second,

	RegistryPage:    100,
	RegistryPages:   10_000,
	SearchRunes:     3,
	SearchRows:      20,
	SearchMost:      100,
	StatusRunes:     256,
	ServeQueryRunes: 200,
	ServeNameRunes:  256,
	ServeSetupRunes: 1000,
	ServeKeywords:   8,
	ManifestHead:    4 * KiB,
	ManifestMeta:    4 * KiB,
	ArchiveBytes:    256 * MiB,
	ArchiveContent:  1024 * MiB,
	ArchiveFree:     16 * MiB,
	ArchiveRatio:    200,
	ArchiveEntries:  100_000,
	ArchiveName:     1024,
	ArchiveNames:    16 * MiB,
	ArchiveDepth:    64,
	ArchiveHeader:   64 * KiB,
	ArchiveBuffer:   64 * KiB,
	ArchiveListed:   20_000,
	ScopeFiles:      2_000,
	RegistryAtOnce:  8,
	RegistryTries:   2,
	KeptAnswers:     5_000,
	KeptAnswerBytes: 256 * MiB,
	ReleaseFresh:    24 * time.Hour,
	ReleaseAged:     30 * 24 * time.Hour,
	ArtifactBytes:   512 * MiB,
	ArtifactTime:    10 * time.Minute,
	FetchHops:       5,
	NPMTime:         30 * time.Second,
	ListingBytes:    64 * MiB,
	IndexOverlap:    time.Hour,
	OSVPages:        50,
	OSVBytes:        8 * 1024 * MiB,
	OSVEntry:        16 * MiB,
	KeptSecrets:     1_000,
	SecretBytes:     64 * KiB,
	KnownStale:      7 * 24 * time.Hour,
	AuditAtOnce:     8,
	AuditServers:    2_000,

	AskedBytes:      4 * MiB,
	AskedHeader:     16 * KiB,
	AskedHeld:       64 * MiB,
	HeldStep:        64 * KiB,
	AskedDrain:      16 * MiB,
	ServeConns:      2_000,
	ServeHeaderTime: 5 * time.Second,
	ServeBodyTime:   10 * time.Second,
	ServeWriteTime:  30 * time.Second,
	ServeIdle:       60 * time.Second,
	ServeStall:      5 * time.Minute,
	ServeEnd:        2 * time.Second,
	ServeBatch:      32,
	ServeIDBytes:    1 * KiB,
	ServeJobs:       4,
	ServeProbes:     16,
	ServeJobWait:    20 * time.Second,
	ServeEntries:    2_000,
	ServeFindings:   2_000,
	ServeLines:      16,
	ServeTTL:        time.Hour,
	Callers:         1_000,
	CallerTime:      time.Hour,
	CallerProbes:    30,
	TargetProbes:    10,
	ProbeWindow:     10 * time.Minute,
	ServeTokenBytes: 16,

	ChildLine:           4 * MiB,
	ChildBuffer:         64 * KiB,
	ChildStderr:         64 * KiB,
	ChildWrite:          10 * time.Second,
	ChildGrace:          1 * time.Second,
	ChildKill:           5 * time.Second,
	ChildPoll:           5 * time.Millisecond,
	ChildReap:           2 * time.Second,
	GuardBuffer:         32 << 10,
	GuardLargeBuffer:    2 << 20,
	GuardDrain:          30 * time.Second,
	GuardSessions:       256,
	GuardSessionIdle:    15 * time.Minute,
	GuardSessionID:      1 * KiB,
	GuardReply:          10 * time.Second,
	GuardLog:            4 << 20,
	GuardFollow:         500 * time.Millisecond,
	EnvVars:             256,
	EnvChars:            65_536,
	EnvBytes:            1 * MiB,
	SandboxCPU:          10 * time.Minute,
	SandboxFile:         1 << 30,
	SandboxProcesses:    256,
	SandboxMemory:       512 * MiB,
	SandboxTmp:          64 * MiB,
	SandboxCPUs:         1,
	SandboxProbe:        5 * time.Second,
	Prefetch:            5 * time.Minute,
	InterruptTime:       10 * time.Second,
	ShebangBytes:        256,
	ProjectUp:           8,
	GatewayServers:      64,
	GatewayWord:         24,
	GatewayStarts:       4,
	GatewayListTime:     25 * time.Second,
	GatewayQueue:        256,
	GatewayCalls:        256,
	GatewayAsks:         64,
	GatewayBackoff:      time.Second,
	GatewayBackoffMost:  time.Minute,
	GatewayRestarts:     8,
	GatewaySettled:      time.Minute,
	GatewayWait:         2 * time.Second,
	GatewayPing:         30 * time.Second,
	GatewayPong:         10 * time.Second,
	GatewayPage:         1_000,
	GatewayPageBytes:    4 * MiB,
	GatewayInstructions: 16 * KiB,
	GuardAsk:            5 * time.Minute,
	GuardList:           30 * time.Second,
	GuardPause:          8 * time.Hour,
	GuardLeave:          90 * 24 * time.Hour,
	GuardAllow:          7 * 24 * time.Hour,
	GuardLeaves:         1_000,
	InstalledBytes:      128 * MiB,
	InstalledWrong:      8,

	SandboxPaths: 1_000,
}
