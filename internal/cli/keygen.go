package cli

import (
	"crypto/ed25519"
	"crypto/rand"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/sign"
)

func (a *app) keygen() *cobra.Command {
	var o struct {
		private, public string
		force           bool
	}
	var format func() (bool, error)
	cmd := &cobra.Command{
		Use: "keygen --private-key FILE --public-key FILE", Short: "Make a key that signs approvals", GroupID: "trust",
		Long: "Make an Ed25519 key that signs approvals, and print its id. The private half is\n" +
			"written for you alone (0600) and is under no passphrase: keep it in no repository.\n" +
			"The public half goes to who verifies. An Ed25519 key of OpenSSH will do as well.",
		Example:     "  mcpassay keygen --private-key approval.key --public-key approval.pub",
		Annotations: map[string]string{touches: "the two files", exits: "0 made, 2 refused"},
		Args:        noArgs("mcpassay keygen --private-key FILE --public-key FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := format()
			if err != nil {
				return err
			}
			private, public := absolute(a.io.Cwd, o.private), absolute(a.io.Cwd, o.public)
			switch {
			case o.private == "" || o.public == "":
				return usage("mcpassay keygen --private-key approval.key --public-key approval.pub", "keygen needs --private-key and --public-key")
			case private == public:
				return usage("name two files", "the private and the public key can not be one file")
			}
			pub, priv, err := ed25519.GenerateKey(rand.Reader)
			if err != nil {
				return err
			}
			halves := []struct {
				path, shown string
				opt         files.WriteOptions
				text        []byte
			}{
				{private, o.private, files.WriteOptions{New: !o.force, Private: true}, sign.PrivatePEM(priv)},
				{public, o.public, files.WriteOptions{New: !o.force}, sign.PublicPEM(pub)},
			}
			for _, h := range halves { // neither is written where the other can not be
				if err := files.Writable(h.path, h.opt); err != nil {
					return keyUnwritten(h.shown, err)
				}
			}
			for _, h := range halves {
				if err := files.WriteAtomic(h.path, h.text, h.opt); err != nil {
					return keyUnwritten(h.shown, err)
				}
			}
			if asJSON {
				return a.printJSON(map[string]string{"keyId": sign.KeyID(pub), "publicKey": string(sign.PublicPEM(pub))})
			}
			_, err = fmt.Fprintf(a.io.Out, "key id: %s\n", sign.KeyID(pub))
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.private, "private-key", "", "write the private half to `FILE`")
	f.StringVar(&o.public, "public-key", "", "write the public half to `FILE`")
	f.BoolVar(&o.force, "force", false, "replace keys that are there: what they signed can not be signed by them again")
	format = listFormat(cmd)
	return cmd
}

func keyUnwritten(path string, err error) error {
	hint := "name a folder that exists and can be written to"
	if files.ReasonOf(err) == files.Changed {
		hint = "name another file, or --force to replace a key for good"
	}
	return &problem{what: "the key can not be written: " + refusal(err).Detail, at: path, hint: hint, code: exitIncomplete}
}
