// The work of svc audit DIR with golang.org/x/mod/sumdb/tlog: every hash and link of the versions, the digest of every
// resource, and the root of the log. Prints the number of versions, the newest hash and the root, and its processor time.
package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

func main() {
	var hashes []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		var found []tlog.Hash
		for _, index := range indexes {
			found = append(found, hashes[index])
		}
		return found, nil
	})
	head, seen, count := strings.Repeat("0", 64), map[string]bool{}, int64(0)
	for {
		text, err := os.ReadFile(fmt.Sprintf("%s/versions/VS-%04d.json", os.Args[1], count+1))
		if err != nil {
			break
		}
		var entry struct {
			Hash, PreviousHash string
			Resources          map[string]string
		}
		must(json.Unmarshal(text, &entry))
		hashed := "svc-version-v1\n" + strings.Replace(string(text), `"hash":"`+entry.Hash+`",`, "", 1)
		sum := sha256.Sum256([]byte(hashed))
		if hex.EncodeToString(sum[:]) != entry.Hash || entry.PreviousHash != head {
			log.Fatalf("version %d breaks the chain", count+1)
		}
		for name, digest := range entry.Resources {
			file := os.Args[1] + "/resources/" + name + "/" + digest + ".json"
			if seen[file] {
				continue
			}
			seen[file] = true
			data, err := os.ReadFile(file)
			must(err)
			if sum := sha256.Sum256(data); base64.RawURLEncoding.EncodeToString(sum[:]) != digest {
				log.Fatalf("%s: another digest", file)
			}
		}
		stored, err := tlog.StoredHashes(count, []byte(hashed), reader)
		must(err)
		hashes, head, count = append(hashes, stored...), entry.Hash, count+1
	}
	root, err := tlog.TreeHash(count, reader)
	must(err)
	fmt.Println(count, head, root)
	var used syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	fmt.Println(time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds())
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
