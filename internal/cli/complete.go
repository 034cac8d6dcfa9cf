package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpassay/mcpassay/internal/catalog"
	"github.com/mcpassay/mcpassay/internal/grade"
	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/policy"
	"github.com/mcpassay/mcpassay/internal/report"
)

// completeFlags says what a shell may offer for the values of the flags of a verb and of those under it.
func completeFlags(cmd *cobra.Command) {
	values := map[string]cobra.CompletionFunc{
		"profile": offer(policy.ProfileNames), "client": offer(clientIDs), "select": completeRules, "ignore": completeRules,
		"fail-on": words("error", "warning", "info", "never"), "env": words("inherit", "none"), "fix": words("safe", "unsafe"),
		"platform": words("linux", "darwin", "windows"), "color": words("auto", "always", "never"), "today": words(),
		"format": words("text", "json"), "executor": offer(backendNames), "protocol": words("auto", "modern", "legacy"),
		"era": words("auto", "modern", "legacy", "both"), "min-grade": offer(grade.Grades),
	}
	if cmd.GroupID == "check" {
		values["format"] = offer(report.Formats)
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if complete := values[f.Name]; complete != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete)
		}
	})
	for _, sub := range cmd.Commands() {
		completeFlags(sub)
	}
}

func clientIDs() (ids []string) {
	for _, c := range client.Table() {
		ids = append(ids, c.ID)
	}
	return ids
}

func words(all ...string) cobra.CompletionFunc {
	return offer(func() []string { return all })
}

func offer(names func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names(), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeRules offers the ids of rules, and the part after the slash to somebody who starts with that.
func completeRules(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var ids, faults []string
	for _, r := range catalog.All() {
		_, fault, _ := strings.Cut(r.ID, "/")
		if strings.HasPrefix(r.ID, typed) {
			ids = append(ids, r.ID+"\t"+r.Title)
		}
		if strings.HasPrefix(fault, typed) {
			faults = append(faults, fault+"\t"+r.ID+": "+r.Title)
		}
	}
	if len(ids) == 0 {
		ids = faults
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
