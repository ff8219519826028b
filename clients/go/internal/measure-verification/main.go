// Command measure-verification verifies one saved response in rounds that alternate with the cryptography alone, and
// prints CPU times as JSON. The benchmark of the repository runs it: npm run bench -- --only clients.
package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	publicapi "github.com/example/public-api-server/clients/go"
)

type saved struct {
	Target     string
	Status     int
	Headers    [][2]string
	BodyBase64 string
	Key        publicapi.PublishedKey
	NowMs      int64
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// cpuMicros is the CPU time of this process, all threads.
func cpuMicros() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1000
}

func main() {
	var given saved
	if err := json.Unmarshal(must(os.ReadFile(os.Args[1])), &given); err != nil {
		panic(err)
	}
	rounds, checks := must(strconv.Atoi(os.Args[2])), must(strconv.Atoi(os.Args[3]))
	response := &publicapi.Response{Method: "GET", Target: given.Target, Status: given.Status, Header: http.Header{}}
	for _, pair := range given.Headers {
		response.Header.Add(pair[0], pair[1])
	}
	response.Body = must(base64.StdEncoding.DecodeString(given.BodyBase64))
	expected := publicapi.Expectations{
		Keys: []*publicapi.Key{must(publicapi.ImportKey(given.Key))}, Now: time.UnixMilli(given.NowMs),
	}
	signature := must(base64.StdEncoding.DecodeString(response.Header.Get("X-SVC-Signature")))
	lines := []string{
		"svc-response-v1", "GET", given.Target, strconv.Itoa(given.Status),
		response.Header.Get("X-SVC-Signed-At"), response.Header.Get("Content-Digest"),
	}
	text, public := []byte(strings.Join(lines, "\n")), ed25519.PublicKey(must(base64.RawURLEncoding.DecodeString(given.Key.JWK.X)))
	verify := func() { must(publicapi.VerifyResponse(response, expected)) }
	checkCryptographyAlone := func() {
		if sha256.Sum256(response.Body); !ed25519.Verify(public, text, signature) {
			panic("expected a valid signature")
		}
	}
	measureRound := func(check func()) float64 {
		before := cpuMicros()
		for at := 0; at < checks; at++ {
			check()
		}
		return (cpuMicros() - before) / float64(checks)
	}
	var client, cryptography []float64
	// The first round is the warm-up.
	for at := 0; at <= rounds; at++ {
		one, other := measureRound(verify), measureRound(checkCryptographyAlone)
		if at > 0 {
			client, cryptography = append(client, one), append(cryptography, other)
		}
	}
	fmt.Println(string(must(json.Marshal(map[string][]float64{"clientMicros": client, "cryptographyMicros": cryptography}))))
}
