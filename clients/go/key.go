package publicapi

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"math/big"
	"regexp"
	"time"
)

// Libraries differ in the keys and signatures that they accept. The doubtful ones are rejected before the library
// decides.

func bigOf(hexadecimal string) *big.Int {
	number, _ := new(big.Int).SetString(hexadecimal, 16)
	return number
}

// littleEndian gives 32 bytes of a number, least significant first.
func littleEndian(number *big.Int) (bytes [32]byte) {
	number.FillBytes(bytes[:])
	for at := 0; at < 16; at++ {
		bytes[at], bytes[31-at] = bytes[31-at], bytes[at]
	}
	return bytes
}

var (
	// 2^255 - 19
	prime = bigOf("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed")
	// y of two of the points of order 8; those of the other two are the prime minus it.
	order8 = bigOf("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826")
	// y of all eight points of small order, for which anyone can sign.
	smallOrder = map[[32]byte]bool{
		littleEndian(big.NewInt(0)):                          true,
		littleEndian(big.NewInt(1)):                          true,
		littleEndian(new(big.Int).Sub(prime, big.NewInt(1))): true,
		littleEndian(order8):                                 true,
		littleEndian(new(big.Int).Sub(prime, order8)):        true,
	}
)

// isCanonicalPoint reports whether 32 bytes encode a y below the prime, of a point that is not of small order
// (RFC 8032 5.1.3).
func isCanonicalPoint(data []byte) bool {
	var y [32]byte
	copy(y[:], data)
	y[31] &= 0x7f
	if smallOrder[y] {
		return false
	}
	if y[31] != 0x7f || y[0] < 0xed {
		return true
	}
	for at := 1; at < 31; at++ {
		if y[at] != 0xff {
			return true
		}
	}
	return false
}

// isSignature applies the strict rules. The standard library refuses an S that is not below the group order.
func isSignature(key ed25519.PublicKey, text, signature []byte) bool {
	return len(signature) == ed25519.SignatureSize && isCanonicalPoint(signature[:32]) &&
		ed25519.Verify(key, text, signature)
}

// decodeBase64 gives the bytes of a text in the one right form: encoding them gives exactly this text.
func decodeBase64(encoding *base64.Encoding, text string, size int) ([]byte, bool) {
	data, err := encoding.DecodeString(text)
	return data, err == nil && len(data) == size && encoding.EncodeToString(data) == text
}

var instantForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$`)

// parseInstant reads ISO 8601 in UTC with the letter Z, in seconds or milliseconds.
func parseInstant(text string) (time.Time, bool) {
	if !instantForm.MatchString(text) {
		return time.Time{}, false
	}
	moment, err := time.Parse(time.RFC3339, text)
	return moment, err == nil
}

// A PublishedKey is a key in the form of the signing-key document.
type PublishedKey struct {
	// Status is current, next or retired; empty where a saved key does not say it.
	Status    string  `json:"status"`
	JWK       JWK     `json:"jwk"`
	NotBefore *string `json:"notBefore"`
	NotAfter  *string `json:"notAfter"`
}

// A JWK is an Ed25519 public key (RFC 8037).
type JWK struct {
	Kty string `json:"kty"`
	Crv string `json:"crv"`
	X   string `json:"x"`
}

// A Key is an imported and validated public key.
type Key struct {
	// ID is the RFC 7638 thumbprint, computed from the key itself.
	ID string
	// Published is the key as the document has it.
	Published PublishedKey
	public    ed25519.PublicKey
	// Nil for no limit. A limit that cannot be read excludes every time.
	notBefore, notAfter *time.Time
	hasBadDate          bool
}

// ImportKey reads a public key and computes its ID. The error is a *VerificationError (KEY_MALFORMED).
func ImportKey(published PublishedKey) (*Key, error) {
	jwk := published.JWK
	data, ok := decodeBase64(base64.RawURLEncoding, jwk.X, ed25519.PublicKeySize)
	if !ok || jwk.Kty != "OKP" || jwk.Crv != "Ed25519" {
		return nil, refuse("KEY_MALFORMED", "expected kty OKP, crv Ed25519, x base64url")
	}
	if !isCanonicalPoint(data) {
		return nil, refuse("KEY_MALFORMED", "of small order or not reduced")
	}
	thumbprint := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + jwk.X + `"}`))
	key := &Key{ID: base64url(thumbprint), Published: published, public: data}
	key.notBefore = key.limit(published.NotBefore)
	key.notAfter = key.limit(published.NotAfter)
	return key, nil
}

func (k *Key) limit(text *string) *time.Time {
	if text == nil {
		return nil
	}
	moment, ok := parseInstant(*text)
	k.hasBadDate = k.hasBadDate || !ok
	return &moment
}

func (k *Key) wasInUse(moment time.Time) bool {
	return !k.hasBadDate && (k.notBefore == nil || !moment.Before(*k.notBefore)) &&
		(k.notAfter == nil || !moment.After(*k.notAfter))
}

// retired says what a pin that is out of date needs to know.
func (c check) retired(signer *Key) string {
	for _, key := range c.Keys {
		isOver := key.notAfter != nil && key.notAfter.Before(c.Now)
		if c.isTrusted(key) && (isOver || key.Published.Status == "retired") {
			// In the first day, its last signatures still count.
			retired := "is retired"
			if isOver {
				retired = "was retired on " + *key.Published.NotAfter
			}
			return "; the service says that the pinned key " + key.ID + " " + retired + " and the current one is " +
				signer.ID + ": check it against another source, such as `svc verify --pin-from`"
		}
	}
	return ""
}

func base64url(sum [32]byte) string { return base64.RawURLEncoding.EncodeToString(sum[:]) }
