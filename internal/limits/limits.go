// Package limits holds every number that bounds what the product reads, keeps or prints. Nothing else
// in the product writes a size, a depth, a count or a duration down.
package limits

// KiB and MiB are the units that the limits are written in.
const (
	KiB = 1 << 10
	MiB = 1 << 20
)

// Set is the limits of one run. Every field says its unit and why the number is what it is.
type Set struct {
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
	// ShownRunes is how much of an untrusted string is printed (seed warden-doctor: 200).
	ShownRunes int
	// ShownURLRunes is the same for a URL in a command to paste (seed warden-doctor: 2048).
	ShownURLRunes int
	// ShownServers is how many servers of one file doctor's table lists unless -v is given.
	ShownServers int
	// ShownColumns is how far a server's name may widen its column of doctor's table.
	ShownColumns int
	// ShownRelated is how many related places of a finding the text report lists unless -v is given.
	ShownRelated int
	// ShownNames is how many names the message of one finding lists.
	ShownNames int
	// RuleFindings is how many findings of one rule in one file are listed one by one.
	RuleFindings int
	// RelatedPlaces is how many further places a finding that stands for many entries carries.
	RelatedPlaces int
	// ShownEdits is how many edits a fix may have that a report shows: one takes several times the bytes that it changes.
	ShownEdits int
	// ShownFaults is how many faults of one document a validator lists.
	ShownFaults int
	// MarkdownBytes bounds a Markdown report: a GitHub comment holds 65,536 characters.
	MarkdownBytes int
	// Suppressions bounds those of one policy, and the suppression comments of one document (seed tool-card-linter: 512).
	Suppressions int
	// SuppressionDays is how long a suppression may last.
	SuppressionDays int
	// NextSteps is how many commands doctor ends with.
	NextSteps int
	// HeapBase and HeapPerByte are how much memory a run may take, in bytes and in bytes for each byte that it reads,
	// before the garbage collector starts to work.
	HeapBase, HeapPerByte int
	// HeapPerFile is for how many bytes a file counts beside its own, since a small file's entries and findings take
	// more than its text.
	HeapPerFile int
	// HeapStep is how many bytes are read before that is reckoned anew.
	HeapStep int
	// FixRounds is how often fixes are applied, parsed and judged again.
	FixRounds int
	// FixTries is how often the result of fixes of one file is parsed and judged, over all rounds.
	FixTries int
	// IndexBytes bounds the .git/index that is read for the tracked state of a file.
	IndexBytes int
	// GitFileBytes bounds the small files of a git folder: a .git file, commondir, config.
	GitFileBytes int
	// BackupNameBytes is how much of a file's own name its backup's name keeps (a name may have 255 bytes).
	BackupNameBytes int
	// BackupIDChars is how many hex characters of a digest tell backups apart.
	BackupIDChars int
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
	// LaunchDepth is how deep shells, wrappers and substitutions of a launch line may nest.
	LaunchDepth int
	// LaunchRereads is how often the bytes of a launch line may be read again as nested scripts.
	LaunchRereads int
	// LaunchCommands bounds the commands of all scripts of a launch line: one takes about 1 KiB.
	LaunchCommands int
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
	ShownRunes:      200,
	ShownURLRunes:   2048,
	ShownServers:    20,
	ShownColumns:    40,
	ShownRelated:    3,
	ShownNames:      5,
	RuleFindings:    500,
	RelatedPlaces:   20,
	ShownEdits:      100,
	ShownFaults:     20,
	MarkdownBytes:   56 * KiB,
	Suppressions:    512,
	SuppressionDays: 366,
	NextSteps:       8,
	HeapBase:        16 * MiB,
	HeapPerByte:     12,
	HeapPerFile:     4 * KiB,
	HeapStep:        256 * KiB,
	FixRounds:       10,
	FixTries:        100,
	IndexBytes:      256 * MiB,
	GitFileBytes:    256 * KiB,
	BackupNameBytes: 128,
	BackupIDChars:   12,
	MatchUnit:       64 * KiB,
	MaskRounds:      10,
	TokenWindow:     512,
	ToolNameRoom:    20,
	TimeoutSeconds:  9_999,
	TimeoutMillis:   500,
	NameBytes:       256,
	ClaimBytes:      2 * KiB,
	ParameterDepth:  4,
	Reasons:         3,
	ReasonRunes:     48,
	LookalikeSteps:  5_000_000,
	LaunchDepth:     16,
	LaunchRereads:   8,
	LaunchCommands:  10_000,
}
