package bundle

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/x509"
	_ "embed"
	"encoding/hex"
	"fmt"
	"net/url"
	"sync"
	"time"
)

// Root is whom a bundle is held against: the authorities and logs of one Sigstore.
type Root struct {
	logs, certificateLogs map[string]*log // by the hex of their key id
	authorities, stampers []authority
}

// log is a transparency log.
type log struct {
	host string
	key  crypto.PublicKey
	// der is the key as SubjectPublicKeyInfo.
	der   []byte
	valid period
}

// authority is a root with what it vouches for: of certificates, or of times.
type authority struct {
	chain []*x509.Certificate // the root is the last
	valid period
}

// period is when something counts; a zero time is no bound.
type period struct {
	Start time.Time `json:"start,omitzero"`
	End   time.Time `json:"end,omitzero"`
}

func (p period) holds(t time.Time) bool {
	return (p.Start.IsZero() || !t.Before(p.Start)) && (p.End.IsZero() || !t.After(p.End))
}

type wireLog struct {
	BaseURL       string `json:"baseUrl"`
	HashAlgorithm string `json:"hashAlgorithm"`
	PublicKey     struct {
		Raw     []byte  `json:"rawBytes"`
		Details string  `json:"keyDetails"`
		Valid   *period `json:"validFor"`
	} `json:"publicKey"`
	Log struct {
		KeyID []byte `json:"keyId"`
	} `json:"logId"`
	Checkpoint struct {
		KeyID []byte `json:"keyId"`
	} `json:"checkpointKeyId"`
	Operator string `json:"operator"`
}

type wireAuthority struct {
	Subject struct {
		Organization string `json:"organization"`
		CommonName   string `json:"commonName"`
	} `json:"subject"`
	URI   string `json:"uri"`
	Chain struct {
		Certificates []raw `json:"certificates"`
	} `json:"certChain"`
	Valid    period `json:"validFor"`
	Operator string `json:"operator"`
}

const rootType = "application/vnd.dev.sigstore.trustedroot+json;version=0.1"

//go:embed public_good.json
var publicGood []byte

// PublicGoodDate is the day of the newest key in the embedded root of Sigstore's public instance.
const PublicGoodDate = "2025-09-23"

// PublicGood is the root of Sigstore's public instance, as its TUF repository had it.
var PublicGood = sync.OnceValue(func() *Root {
	r, err := ReadRoot(publicGood)
	if err != nil {
		panic(err)
	}
	return r
})

// ReadRoot reads a trusted root (version 0.1), as "cosign trusted-root create" and Sigstore's TUF repository give it.
func ReadRoot(text []byte) (*Root, error) {
	var w struct {
		MediaType    string          `json:"mediaType"`
		Logs         []wireLog       `json:"tlogs"`
		Authorities  []wireAuthority `json:"certificateAuthorities"`
		CertLogs     []wireLog       `json:"ctlogs"`
		TimeStampers []wireAuthority `json:"timestampAuthorities"`
	}
	if err := strict(text, &w); err != nil || w.MediaType != rootType {
		return nil, fmt.Errorf("this is no trusted root of Sigstore, version 0.1")
	}
	r := &Root{}
	var err error
	for _, part := range []struct {
		of   []wireLog
		into *map[string]*log
	}{{w.Logs, &r.logs}, {w.CertLogs, &r.certificateLogs}} {
		if *part.into, err = readLogs(part.of); err != nil {
			return nil, err
		}
	}
	for _, part := range []struct {
		of   []wireAuthority
		into *[]authority
	}{{w.Authorities, &r.authorities}, {w.TimeStampers, &r.stampers}} {
		for _, one := range part.of {
			a := authority{valid: one.Valid}
			for _, c := range one.Chain.Certificates {
				cert, err := x509.ParseCertificate(c.Raw)
				if err != nil {
					return nil, fmt.Errorf("a certificate of %q in the trusted root can not be read", one.URI)
				}
				a.chain = append(a.chain, cert)
			}
			if len(a.chain) == 0 {
				return nil, fmt.Errorf("%q in the trusted root has no certificate", one.URI)
			}
			*part.into = append(*part.into, a)
		}
	}
	if len(r.logs) == 0 || len(r.authorities) == 0 {
		return nil, fmt.Errorf("the trusted root lists no log, or no authority: nothing can be verified with it")
	}
	return r, nil
}

func readLogs(all []wireLog) (map[string]*log, error) {
	logs := map[string]*log{}
	for _, one := range all {
		key, err := x509.ParsePKIXPublicKey(one.PublicKey.Raw)
		if err != nil || one.HashAlgorithm != "SHA2_256" || len(one.Log.KeyID) == 0 {
			return nil, fmt.Errorf("the log %q in the trusted root can not be read", one.BaseURL)
		}
		switch key.(type) {
		case *ecdsa.PublicKey, ed25519.PublicKey:
		default:
			return nil, fmt.Errorf("the log %q in the trusted root has a key that is neither ECDSA nor Ed25519", one.BaseURL)
		}
		if one.PublicKey.Valid == nil || one.PublicKey.Valid.Start.IsZero() {
			return nil, fmt.Errorf("the log %q in the trusted root does not say since when its key counts", one.BaseURL)
		}
		id := hex.EncodeToString(one.Log.KeyID)
		if logs[id] != nil {
			return nil, fmt.Errorf("the log %q stands in the trusted root twice", one.BaseURL)
		}
		l := &log{key: key, der: one.PublicKey.Raw, valid: *one.PublicKey.Valid}
		if u, err := url.Parse(one.BaseURL); err == nil {
			l.host = u.Hostname()
		}
		logs[id] = l
	}
	return logs, nil
}
