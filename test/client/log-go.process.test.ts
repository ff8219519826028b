import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { hasProgram } from '../caches/cache-process.ts'
import { folderWithLog } from '../support/logged-releases.ts'
import { succeeded, svcIn } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'

const GO_PACKAGES = '/usr/share/gocode'
const isMissing = !hasProgram('go') || !existsSync(`${GO_PACKAGES}/src/golang.org/x/mod/sumdb/note`)

/** Opens the checkpoint with Go's own implementation, and proves every entry and every smaller tree from tiles. */
const PROGRAM = `package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type reader struct{ folder string }

func (r reader) Height() int { return 8 }

func (r reader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		name := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		data, err := os.ReadFile(filepath.Join(r.folder, name))
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func (r reader) SaveTiles([]tlog.Tile, [][]byte) {}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	folder := os.Args[1]
	verifier, err := note.NewVerifier(os.Args[2])
	check(err)
	text, err := os.ReadFile(filepath.Join(folder, "checkpoint"))
	check(err)
	opened, err := note.Open(text, note.VerifierList(verifier))
	check(err)
	lines := strings.Split(opened.Text, "\\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	root, err := tlog.ParseHash(lines[2])
	check(err)
	hashes := tlog.TileHashReader(tlog.Tree{N: size, Hash: root}, reader{folder})
	for index := int64(0); index < size; index++ {
		entry, err := os.ReadFile(filepath.Join(os.Args[3], strconv.FormatInt(index, 10)))
		check(err)
		proof, err := tlog.ProveRecord(size, index, hashes)
		check(err)
		check(tlog.CheckRecord(proof, size, root, index, tlog.RecordHash(entry)))
		if index == 0 {
			continue
		}
		old, err := tlog.TreeHash(index, hashes)
		check(err)
		tree, err := tlog.ProveTree(size, index, hashes)
		check(err)
		check(tlog.CheckTree(tree, size, root, index, old))
	}
	fmt.Println(size)
}
`

test(
  'golang.org/x/mod accepts the log that a service serves',
  {
    skip: isMissing && 'needs Debian’s golang-go and golang-golang-x-mod-dev',
  },
  async (t) => {
    const { folder, vkey, releases } = await folderWithLog(t, 300)
    const app = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
    writeFileSync(path.join(folder, 'policy'), `log ${vkey}\nquorum none\n`)
    succeeded(await svcIn(folder, ['mirror', app.origin, 'copy', '--policy', 'policy']))
    // The entries as the bundles have them.
    mkdirSync(path.join(folder, 'entries'))
    let index = 0
    for (const bundle of ['000', '001.p/44']) {
      const bytes = readFileSync(path.join(folder, 'copy', 'log', 'tile', 'entries', bundle))
      for (let at = 0; at < bytes.length; index += 1) {
        const end = at + 2 + bytes.readUInt16BE(at)
        writeFileSync(path.join(folder, 'entries', String(index)), bytes.subarray(at + 2, end))
        at = end
      }
    }
    assert.equal(index, 300)
    const source = path.join(folder, 'go', 'src', 'check')
    mkdirSync(source, { recursive: true })
    writeFileSync(path.join(source, 'main.go'), PROGRAM)
    cpSync(path.join(releases, 'log', 'checkpoint'), path.join(folder, 'copy', 'log', 'checkpoint'))
    const out = execFileSync(
      'go',
      ['run', 'check', path.join(folder, 'copy', 'log'), vkey, path.join(folder, 'entries')],
      {
        encoding: 'utf8',
        cwd: source,
        env: {
          ...process.env,
          GO111MODULE: 'off',
          GOFLAGS: '',
          GOPATH: `${path.join(folder, 'go')}:${GO_PACKAGES}`,
          GOCACHE: path.join(folder, 'cache'),
        },
      },
    )
    assert.equal(out, '300\n')
  },
)
