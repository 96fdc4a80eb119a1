//go:build !js

package seal

import (
	"crypto/ed25519"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"time"
)

// Store is a scenario's key store: an authority of its own and, by it, a certificate
// for every party (X.509 v3, RFC 5280), as the paper's agents have them. A party that checks
// a signature takes the key from the certificate, and only after the certificate was
// found to be the authority's and of that party. All of it follows from the seed.
// Make one with NewStore.
type Store struct {
	seed      uint64
	key       ed25519.PrivateKey
	authority *x509.Certificate
	roots     *x509.CertPool
}

// Certificates say nothing of when a run happens: they hold from the first of these
// moments to the last one that X.509 can write, and are looked at in the second.
var (
	holdsFrom = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	lookedAt  = time.Date(2016, 1, 1, 0, 0, 0, 0, time.UTC)
	holdsTo   = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
)

// authorityRole is the party that issues certificates.
const authorityRole Role = 255

// NewStore makes the key store of a scenario's seed.
func NewStore(seed uint64) *Store {
	s := &Store{seed: seed, key: Private(seed, Party{Role: authorityRole}), roots: x509.NewCertPool()}
	own := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority", SerialNumber: fmt.Sprint(seed)},
		NotBefore: holdsFrom, NotAfter: holdsTo,
		KeyUsage: x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
	}
	var err error
	if s.authority, err = x509.ParseCertificate(s.issue(own, own, s.key.Public())); err != nil {
		panic("seal: the authority's own certificate: " + err.Error())
	}
	s.roots.AddCert(s.authority)
	return s
}

// issue signs a certificate in the authority's name. Ed25519 takes no random numbers.
func (s *Store) issue(c, by *x509.Certificate, of any) []byte {
	der, err := x509.CreateCertificate(nil, c, by, of, s.key)
	if err != nil {
		panic("seal: a certificate: " + err.Error()) // of constants and numbers
	}
	return der
}

// Authority returns the authority's certificate, which signs itself, in DER.
func (s *Store) Authority() []byte { return s.authority.Raw }

// Certificate returns a party's in DER.
func (s *Store) Certificate(p Party) []byte {
	return s.issue(&x509.Certificate{
		SerialNumber: big.NewInt(int64(p.Role)<<32 + int64(p.Number) + 2), Subject: pkix.Name{CommonName: p.String()},
		NotBefore: holdsFrom, NotAfter: holdsTo,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
	}, s.authority, Private(s.seed, p).Public())
}

// Key returns the public key of a party from its certificate, in DER, or the reason why the
// certificate does not prove it.
func (s *Store) Key(p Party, der []byte) (ed25519.PublicKey, error) {
	c, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("the certificate of %v cannot be read: %w", p, err)
	}
	if c.Subject.CommonName != p.String() {
		return nil, fmt.Errorf("the certificate is that of %q, not of %v", c.Subject.CommonName, p)
	}
	if _, err := c.Verify(x509.VerifyOptions{
		Roots: s.roots, CurrentTime: lookedAt,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}); err != nil {
		return nil, fmt.Errorf("the certificate of %v was not issued by the scenario's authority: %w", p, err)
	}
	key, ed := c.PublicKey.(ed25519.PublicKey)
	if !ed {
		return nil, fmt.Errorf("the certificate of %v has a key of another kind than Ed25519", p)
	}
	return key, nil
}
