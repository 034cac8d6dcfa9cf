package cli

import (
	"github.com/spf13/cobra"
)

func (a *app) guard() *cobra.Command {
	cmd := parent(&cobra.Command{
		Use: "guard", Short: "Hold a server's traffic to what was approved", GroupID: "trust",
		Long: "Stand between a client and a server: every frame is moved on as it came, and what\n" +
			"the lock, a policy or the rules forbid is stopped, from the first message on.",
	})
	cmd.AddCommand(a.guardRun(), a.guardServe(), a.guardEnable(false), a.guardEnable(true), a.guardStatus(), a.guardAccept(), a.guardAllow(), a.guardPause(), a.guardConfine(),
		a.guardCleanup(), a.guardLog(), a.guardInspect(), a.guardSignatures())
	return cmd
}
