package config

import (
	"slices"

	"github.com/mcpassay/mcpassay/internal/finding"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/rule"
)

// misread says that the client does not replace a reference that is for it to replace.
func misread(f *client.File, u client.Use) bool {
	if u.Shell {
		return false
	}
	switch f.Reads(u.Ref, u.Field) {
	case client.Wrong, client.Foreign:
		return true
	case client.Misplaced:
		return f.Client.Env.Confidence == client.High
	}
	return false
}

// spellings are what the client would read, and what stands there.
func spellings(f *client.File, u client.Use) (expected, actual string) {
	forms, write := f.Forms()
	actual, expected = string(u.Form), string(write)
	if expected == "" && len(forms) > 0 {
		expected = string(forms[0])
	}
	switch reading := f.Reads(u.Ref, u.Field); {
	case reading == client.Foreign:
		return "literal paths", "${" + u.Name + "}"
	case reading == client.Misplaced && u.Nested && readsField(f, u.Field):
		return "plain defaults in " + u.Field, "${VAR:-${VAR}}"
	case reading == client.Misplaced, !readsField(f, u.Field):
		return "literal values in " + u.Field, actual
	case expected == "":
		return "literal values", actual
	case u.Form == "${env:VAR}" && u.Default:
		actual = "${env:VAR:-default}"
	}
	return expected, actual
}

// readsField says that the client replaces references in that field, as far as that is known.
func readsField(f *client.File, field string) bool {
	fields := f.Client.Env.Fields
	return len(fields) == 0 || slices.Contains(fields, field)
}

// syntaxSeverity falls with what is known of the client.
func syntaxSeverity(f *client.File, u client.Use) finding.Severity {
	e := &f.Client.Env
	switch {
	case e.Confidence == client.Low || e.Expands == "unknown":
		return finding.Info
	case e.Confidence == client.Medium, f.Guessed, f.Reads(u.Ref, u.Field) != client.Wrong, mayBeProgram(u):
		return finding.Warning
	}
	return finding.Error
}

// respelled is the fix for all the references of one value, none where one of them has no spelling for this client. It
// is safe unless a default is lost, the client's spelling is not certain, or the text may be for another reader.
func respelled(f *client.File, wrong []client.Use) []rule.Option {
	safety, title := finding.Safe, "write it as "
	var parts []client.Splice
	for _, u := range wrong {
		to, kept, ok := f.Respell(u)
		if !ok || f.Reads(u.Ref, u.Field) != client.Wrong {
			return nil
		}
		if !kept || f.Client.Env.Confidence == client.Low || mayBeProgram(u) {
			safety = finding.Unsafe
		}
		if !kept {
			title = "drop the default and write it as "
		}
		parts = append(parts, to)
	}
	edits := wrong[0].Value.Rewrite(parts...)
	if len(edits) == 0 {
		return nil
	}
	shown, _ := f.Reference(wrong[0].Field, wrong[0].Name, "")
	return []rule.Option{rule.WithFix(safety, title+shown, edits...)}
}

// mayBeProgram says that a name without braces may be for the program that is started.
func mayBeProgram(u client.Use) bool {
	return (u.Form == "$VAR" || u.Form == "%VAR%") && (u.Field == "args" || u.Field == "command")
}
