package registry

import (
	"cmp"
	"fmt"
	"time"
)

// Kind is why something could not be had of a registry.
type Kind string

// The kinds. No two of them ask for the same next step.
const (
	// NotFound is a server or a version that the registry does not have, not even as a deleted one.
	NotFound Kind = "not-found"
	// Deleted is one that it took away. Detail is what it says of that.
	Deleted Kind = "deleted"
	// RateLimited is a registry that wants to be asked later. Wait is when, 0 where it does not say.
	RateLimited Kind = "rate-limited"
	// Unreachable is a registry that did not answer, or only with an error of its own.
	Unreachable Kind = "unreachable"
	// Malformed is an answer that is none.
	Malformed Kind = "malformed"
	// BadCursor is a listing that leads nowhere: a cursor that the registry does not know, or one that it gave before.
	BadCursor Kind = "bad-cursor"
	// Refused is a request that the registry, or our own door, does not take. Detail says why.
	Refused Kind = "refused"
	// TooShort is a search term that the registry would not take; it was not asked.
	TooShort Kind = "short-term"
	// Mismatch is a file whose bytes are not those that were promised.
	Mismatch Kind = "mismatch"
	// NotCached is an answer that nobody kept, where nobody may be asked.
	NotCached Kind = "not-cached"
)

// Error is why something could not be had. It quotes strangers in Detail alone.
type Error struct {
	Kind Kind
	// Registry is the base URL that was asked, Name and Version what was asked for, "" for a listing.
	Registry, Name, Version string
	// Package says that a registry of packages was asked, and not that of MCP: no flag names another, and nothing searches it.
	Package bool
	Detail  string
	// Status is the HTTP status, 0 for none.
	Status int
	Wait   time.Duration
}

func (e *Error) Error() string {
	what := e.Name
	if e.Version != "" {
		what += " " + e.Version
	}
	with := func(s string) string {
		if e.Detail != "" {
			s += ": " + e.Detail
		}
		return s
	}
	switch e.Kind {
	case NotFound:
		return with("there is no " + what + " in the registry")
	case Deleted:
		return with(what + " was deleted from the registry")
	case RateLimited:
		s := "the registry is asked too often"
		if e.Wait > 0 {
			s += fmt.Sprintf(", and wants to be asked again in %v", e.Wait)
		}
		return s
	case Unreachable:
		return with("the registry can not be reached")
	case Malformed:
		return with("the registry's answer can not be used")
	case BadCursor:
		return with("the registry's listing leads nowhere")
	case Refused:
		if what != "" {
			return with("the request for " + what + " is refused")
		}
		return with("the request is refused")
	case TooShort:
		return with("the search term is too short")
	case Mismatch:
		return with(what + " is not what was promised")
	case NotCached:
		return with("nothing was kept of " + cmp.Or(what, "this list") + ", and --offline asks nobody")
	}
	return with(string(e.Kind))
}

// Hint is the next step.
func (e *Error) Hint() string {
	switch e.Kind {
	case NotFound, Unreachable, Malformed:
		if e.Package {
			return map[Kind]string{
				NotFound:    "look for it where it is published: a record that names what is not there is its publisher's to mend",
				Unreachable: "try again, or --offline for what was kept",
				Malformed:   "try again; if it stays so, tell who runs that registry",
			}[e.Kind]
		}
	}
	switch e.Kind {
	case NotFound:
		if e.Version != "" && GoodName(e.Name) {
			return "mcpassay info " + e.Name + " lists its versions"
		}
		return "mcpassay search finds names"
	case Deleted:
		return "mcpassay search finds another; do not run what is installed of it"
	case RateLimited:
		return "try later, or --offline for what was kept"
	case Unreachable:
		return "--registry URL names a mirror, --offline uses what was kept"
	case Malformed, BadCursor:
		return "--registry URL names another registry"
	case Mismatch:
		return "do not run it, and tell its publisher"
	case NotCached:
		return "the same without --offline"
	}
	return ""
}
