// Package behave holds the rules on what a tool does: whether its annotations and words say the same as its name and its
// parameters, what it lets a model run, open or hand over, and what the tools of several servers make of each other. What
// a tool does is read in internal/model/card. One file and one page a rule.
package behave

import "embed"

// Pages are the rules' pages.
//
//go:embed *.md
var Pages embed.FS

// once is the set of the rules that look at one tool: an honest tool gets one finding at most, the gravest.
const once = "behaviour"
