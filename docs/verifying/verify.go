// Checks the signature of one response: go run verify.go URL KEYID. clients/go checks more.
package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func fetch(base *url.URL, target string) (*http.Response, []byte) {
	// Opaque is sent as it is: the signature covers the target as sent. A RoundTrip follows no redirect.
	address := &url.URL{Scheme: base.Scheme, Host: base.Host, Opaque: target}
	transport := &http.Transport{DisableCompression: true, ResponseHeaderTimeout: 30 * time.Second}
	response := must(transport.RoundTrip(&http.Request{Method: "GET", URL: address, Header: http.Header{}}))
	return response, must(io.ReadAll(io.LimitReader(response.Body, 16_000_000)))
}

func main() {
	log.SetFlags(0)
	base := must(url.Parse(os.Args[1]))
	_, target, _ := strings.Cut(strings.Split(os.Args[1], "#")[0], base.Host)
	var document struct {
		Data struct {
			Keys []struct{ JWK struct{ X string } }
		}
	}
	_, keys := fetch(base, "/api/v1/keys/signing-key")
	must(0, json.Unmarshal(keys, &document))
	var key ed25519.PublicKey
	for _, each := range document.Data.Keys {
		id := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + each.JWK.X + `"}`)) // RFC 7638
		if base64.RawURLEncoding.EncodeToString(id[:]) == os.Args[2] {
			key = must(base64.RawURLEncoding.DecodeString(each.JWK.X))
		}
	}
	response, body := fetch(base, target)
	sum := sha256.Sum256(body)
	digest := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	signedAt := response.Header.Get("X-SVC-Signed-At")
	lines := []string{"svc-response-v1", "GET", target, strconv.Itoa(response.StatusCode), signedAt, digest}
	text := strings.Join(lines, "\n")
	log.Print(text)
	signature := must(base64.StdEncoding.DecodeString(response.Header.Get("X-SVC-Signature")))
	if key == nil || !ed25519.Verify(key, []byte(text), signature) {
		log.Fatal("not valid")
	}
	if age := time.Since(must(time.Parse(time.RFC3339, signedAt))); age < -time.Minute || age > 900*time.Second {
		log.Fatal("signed too long ago, or in the future: ", age)
	}
	os.Stdout.Write(body)
}
