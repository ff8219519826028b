package publicapi_test

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	publicapi "github.com/example/public-api-server/clients/go"
)

// The key pair of RFC 8032 section 7.1, test 1. It is public, so its signatures prove nothing.
var (
	seed   = []byte("\x9d\x61\xb1\x9d\xef\xfd\x5a\x60\xba\x84\x4a\xf4\x92\xec\x2c\xc4\x44\x49\xc5\x69\x7b\x32\x69\x19\x70\x3b\xac\x03\x1c\xae\x7f\x60")
	pins   = []string{"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"}
	bodies = map[string]string{
		"/api/v1/status": `{"ok":true,"data":{"State":"major_outage","state":"operational"}}`,
		"/api/v1/keys/signing-key": `{"ok":true,"data":{"keys":[{"jwk":` +
			`{"crv":"Ed25519","kty":"OKP","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}}]}}`,
	}
)

// serve starts a service that signs.
func serve(change func(target string, header http.Header, body string) string) *httptest.Server {
	return httptest.NewServer(signing(change))
}

// signing gives the handler of a service that signs, and lets change alter a response after it was signed.
func signing(change func(target string, header http.Header, body string) string) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		target := request.URL.RequestURI()
		body, ok := bodies[request.URL.Path]
		if !ok {
			http.Redirect(response, request, "/api/v1/status", http.StatusFound)
			return
		}
		sum := sha256.Sum256([]byte(body))
		digest := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
		signedAt := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
		text := strings.Join([]string{"svc-response-v1", "GET", target, "200", signedAt, digest}, "\n")
		header := response.Header()
		header.Set("Content-Digest", digest)
		header.Set("X-SVC-Signed-At", signedAt)
		header.Set("X-SVC-Signature", base64.StdEncoding.EncodeToString(ed25519.Sign(ed25519.NewKeyFromSeed(seed), []byte(text))))
		if change != nil {
			body = change(request.URL.Path, header, body)
		}
		fmt.Fprint(response, body)
	})
}

func ExampleClient() {
	server := serve(nil)
	defer server.Close()
	client, err := publicapi.NewClient(publicapi.Options{BaseURL: server.URL, PinnedKeyIDs: pins})
	if err != nil {
		panic(err)
	}
	status, err := client.Status(context.Background())
	if err != nil {
		panic(err)
	}
	fmt.Println(status.Data.State, status.KeyID)
	// Output: operational kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
}

func ExampleTransport() {
	server := serve(func(target string, _ http.Header, body string) string {
		return strings.Replace(body, "major_outage", "operational_", 1)
	})
	defer server.Close()
	keys, err := publicapi.NewKeys(publicapi.Options{BaseURL: server.URL, PinnedKeyIDs: pins})
	if err != nil {
		panic(err)
	}
	client := http.Client{Transport: &publicapi.Transport{Keys: keys}}
	_, err = client.Get(server.URL + "/api/v1/status")
	var failure *publicapi.VerificationError
	if errors.As(err, &failure) {
		fmt.Println(failure.Code)
	}
	// Output: DIGEST
}

func ExampleTransport_verified() {
	server := serve(nil)
	defer server.Close()
	keys, err := publicapi.NewKeys(publicapi.Options{BaseURL: server.URL, PinnedKeyIDs: pins})
	if err != nil {
		panic(err)
	}
	client := http.Client{Transport: &publicapi.Transport{Keys: keys}}
	response, err := client.Get(server.URL + "/api/v1/status?a=%2F")
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	fmt.Println(len(body), err)
	// A redirect is not signed.
	_, err = client.Get(server.URL + "/")
	fmt.Println(err != nil && strings.Contains(err.Error(), "UNSIGNED"))
	// Output:
	// 65 <nil>
	// true
}
