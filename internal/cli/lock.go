package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpassay/mcpassay/internal/effect/files"
	"github.com/mcpassay/mcpassay/internal/model/lock"
	"github.com/mcpassay/mcpassay/internal/sign"
)

func (a *app) export() *cobra.Command {
	var o struct{ lock, subject, envelope, bundle, key string }
	j := &judging{app: a, verb: "lock export", format: "text", env: "inherit", color: "auto"}
	cmd := &cobra.Command{
		Use: "export SERVER --subject FILE [--envelope FILE | --bundle FILE]", Short: "Write out the file that a signature is over, and the signature",
		Long: "Write out what mcpassay.lock holds of one server as a file of its own, over whose\n" +
			"SHA-256 the signatures are, and one of them as a DSSE envelope or as a Sigstore\n" +
			"bundle, for other tools.",
		Example: "  mcpassay lock export shop --subject shop.lock --envelope shop.dsse.json\n" +
			"  mcpassay lock export shop --subject shop.lock --bundle shop.sigstore.json",
		Annotations: map[string]string{touches: "mcpassay.lock and the two files", exits: "0 written, 2 refused"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || o.subject == "" {
				return usage("mcpassay lock export shop --subject shop.lock", "export needs the name of a server, and --subject")
			}
			if err := j.check(); err != nil {
				return err
			}
			file := j.lockFile(o.lock)
			f, err := file.open()
			switch {
			case err != nil:
				return err
			case f == nil:
				return &problem{what: "there is no lock", at: file.shown(), hint: "mcpassay pin writes one", code: exitIncomplete}
			case f.Err != nil:
				return file.broken(f.Err, exitIncomplete)
			case f.Get(args[0]) == nil:
				return usage("mcpassay verify --json lists them", "%s has no server named %s", file.shown(), safe(args[0]))
			}
			if err := j.exported(o.subject, f.Get(args[0]).Alone()); err != nil || o.envelope+o.bundle == "" {
				return err
			}
			s, err := chosenSignature(f, args[0], o.key)
			if err != nil {
				return err
			}
			if s.Keyless != nil && o.envelope != "" {
				return usage("write it with --bundle FILE", "%s is signed with a Sigstore bundle, which is no envelope", safe(args[0]))
			}
			raw, err := json.Marshal(sign.Plain(s.Envelope))
			if err == nil && o.envelope != "" {
				err = j.exported(o.envelope, append(raw, '\n'))
			}
			if err == nil && o.bundle != "" {
				if raw, err = sign.Bundle(s); err == nil {
					err = j.exported(o.bundle, append(raw, '\n'))
				}
			}
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.lock, "lock", "", "the lock `FILE`, instead of the nearest mcpassay.lock of the project")
	fl.StringVar(&o.subject, "subject", "", "write what is signed to `FILE`")
	fl.StringVar(&o.envelope, "envelope", "", "write the DSSE envelope to `FILE`")
	fl.StringVar(&o.bundle, "bundle", "", "write the signature to `FILE` as a Sigstore bundle: with the id of its key, or as it came")
	fl.StringVar(&o.key, "key-id", "", "of several signatures that of the key with this `ID`, or that with the approval by this name")
	return cmd
}

func (j *judging) exported(name string, content []byte) error {
	path := absolute(j.app.io.Cwd, name)
	if j.isInput(path) {
		return usage("name another file", "%s is the lock itself", name)
	}
	if err := files.WriteAtomic(path, content, files.WriteOptions{}); err != nil {
		return &problem{what: "it can not be written: " + refusal(err).Detail, at: name, hint: "name a folder that exists and can be written to", code: exitIncomplete}
	}
	return nil
}

// chosenSignature is the signature of a key over a server, the bundle with an approval, or the only one.
func chosenSignature(f *lock.File, server, key string) (*lock.Signature, error) {
	var all []*lock.Signature
	var ids []string
	for i := range f.Signatures {
		s := &f.Signatures[i]
		if s.Server != server || s.Keyless == nil && len(s.Envelope.Signatures) == 0 {
			continue
		}
		id := ""
		if s.Keyless != nil {
			id = s.Keyless.By
		} else {
			id = s.Envelope.Signatures[0].KeyID
		}
		ids = append(ids, safe(id))
		if key == "" || key == id {
			all = append(all, s)
		}
	}
	switch {
	case len(ids) == 0:
		return nil, usage("mcpassay approve --sign KEY signs it", "nobody signed %s", safe(server))
	case len(all) != 1:
		return nil, usage("--key-id, and one of "+strings.Join(ids, ", "), "%s is signed with %s", safe(server), fmt.Sprint(len(ids))+" keys")
	}
	return all[0], nil
}

// rotate is approve for what is approved already: it shows it, and the approval and its signature are made anew.
func (a *app) rotate() *cobra.Command {
	p := &approving{again: true}
	cmd := &cobra.Command{
		Use:   "rotate [SERVER...] --sign KEY",
		Short: "Sign what is approved once more, with another key or for longer",
		Long: "Print what is approved in mcpassay.lock, and approve and sign it once more, in the\n" +
			"place of your earlier approvals and signatures: with another key, or with another\n" +
			"last day. What others signed stays. What is not approved, or is another by now, is\n" +
			"left to mcpassay approve.",
		Example: "  mcpassay lock rotate --sign new.key\n  mcpassay lock rotate shop --sign new.key --by ada@example.com --expires 2027-12-31",
		Annotations: map[string]string{touches: "mcpassay.lock",
			exits: "0 signed, 1 blocked by a finding, 2 could not be written or refused"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.signing.key == "" {
				return usage("mcpassay lock rotate --sign KEY", "rotate needs the key to sign with")
			}
			if err := p.check(); err != nil {
				return err
			}
			return p.run(cmd.Context(), args)
		},
	}
	p.judging = &judging{app: a, verb: "lock rotate", format: "text", env: "inherit"}
	p.flags(cmd)
	return cmd
}
