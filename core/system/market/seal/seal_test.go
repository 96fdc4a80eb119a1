//go:build !js

package seal_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"os"
	"os/exec"
	"strings"
	"testing"

	"parley/core/rng"
	"parley/core/system/market/seal"
)

var (
	user     = seal.Party{Role: seal.User, Number: 3}
	resource = seal.Party{Role: seal.Resource, Number: 3}
)

// TestCertificates: a party's certificate leads to the key it signs with, and is the
// same from the same seed; another party's, another authority's and a changed one are
// refused with a sentence.
func TestCertificates(t *testing.T) {
	s, other := seal.NewStore(7), seal.NewStore(8)
	der := s.Certificate(user)
	key, err := s.Key(user, der)
	if err != nil || !key.Equal(seal.Private(7, user).Public()) {
		t.Fatalf("the certificate of %v leads to another key (%v)", user, err)
	}
	if !bytes.Equal(der, seal.NewStore(7).Certificate(user)) || bytes.Equal(der, other.Certificate(user)) {
		t.Error("certificates do not follow from the seed alone")
	}
	changed := bytes.Clone(der)
	changed[bytes.Index(der, []byte("user 3"))+5] = '4'
	for _, c := range []struct {
		party seal.Party
		der   []byte
		says  string
	}{
		{resource, der, `that of "user 3", not of resource 3`},
		{user, other.Certificate(user), "not issued by the scenario's authority"},
		{seal.Party{Role: seal.User, Number: 4}, changed, "not issued by the scenario's authority"},
		{user, der[:100], "cannot be read"},
		{user, s.Authority(), `that of "authority", not of user 3`},
	} {
		if key, err := s.Key(c.party, c.der); err == nil || key != nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("a certificate for %v gives %v, want one that says %q", c.party, err, c.says)
		}
	}
}

// TestSignatures: either scheme takes its own signatures and no other party's, text or
// none at all; Ed25519's are those of the library under the certificate's key.
func TestSignatures(t *testing.T) {
	text := []byte("sixteen cores for an hour")
	for _, name := range seal.Names() {
		keys := seal.New(name, 7)
		signed := keys.Sign(user, text)
		if !keys.Verify(user, text, &signed) {
			t.Errorf("%s refuses its own signature", name)
		}
		if keys.Verify(resource, text, &signed) || keys.Verify(user, text[1:], &signed) || keys.Verify(user, text, nil) || seal.New(name, 8).Verify(user, text, &signed) {
			t.Errorf("%s takes a signature that is none", name)
		}
		signed[5]++
		if keys.Verify(user, text, &signed) {
			t.Errorf("%s takes a changed signature", name)
		}
	}
	signed := seal.New("ed25519", 7).Sign(user, text)
	c, err := x509.ParseCertificate(seal.NewStore(7).Certificate(user))
	if err != nil || !ed25519.Verify(c.PublicKey.(ed25519.PublicKey), text, signed[:]) {
		t.Errorf("the signature is not that of the certificate's key (%v)", err)
	}
}

// TestOpenSSL: another program finds the certificates in order.
func TestOpenSSL(t *testing.T) {
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not here to check the certificates as well")
	}
	dir := t.TempDir()
	s := seal.NewStore(7)
	for name, der := range map[string][]byte{"authority.pem": s.Authority(), "user.pem": s.Certificate(user), "stranger.pem": seal.NewStore(8).Certificate(user)} {
		if err := os.WriteFile(dir+"/"+name, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, good := range map[string]bool{"user.pem": true, "stranger.pem": false} {
		out, err := exec.Command(openssl, "verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", dir+"/authority.pem", dir+"/"+name).CombinedOutput()
		if (err == nil) != good {
			t.Errorf("of %s openssl says %s", name, out)
		}
	}
}

// TestSerialNumbers: no two certificates have one number, and the authority's is 1.
func TestSerialNumbers(t *testing.T) {
	s := seal.NewStore(7)
	for der, want := range map[string]int64{
		string(s.Authority()): 1, string(s.Certificate(seal.Party{})): 2, string(s.Certificate(user)): 5, string(s.Certificate(resource)): 1<<32 + 5,
	} {
		c, err := x509.ParseCertificate([]byte(der))
		if err != nil || c.SerialNumber.Int64() != want {
			t.Errorf("the number of %v is %v, want %d (%v)", c.Subject, c.SerialNumber, want, err)
		}
	}
	for role, want := range map[seal.Role]string{seal.User: "user", seal.Resource: "resource", seal.Bank: "bank", 255: "authority"} {
		if role.String() != want {
			t.Errorf("role %d is %q, want %q", uint8(role), role, want)
		}
	}
}

// TestModelled: the hash goes over words of eight bytes and then over single bytes.
func TestModelled(t *testing.T) {
	var text [8]byte
	binary.LittleEndian.PutUint64(text[:], 0x0123456789abcdef)
	begin := rng.Hash(7, uint64(user.Role), uint64(user.Number))
	for length, want := range map[int]uint64{0: begin, 1: rng.Mix(begin ^ 0xef ^ 1<<32), 8: rng.Mix(begin ^ 0x0123456789abcdef)} {
		signed := seal.New("modelled", 7).Sign(user, text[:length])
		if got := binary.LittleEndian.Uint64(signed[:]); got != want {
			t.Errorf("%d bytes are signed %x, want %x", length, got, want)
		}
	}
}
