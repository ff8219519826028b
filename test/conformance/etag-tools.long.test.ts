import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { ENDPOINTS, type Endpoint } from '@public-api/contract/registry/endpoints'
import { hasProgram } from '../caches/cache-process.ts'
import { filesBelow } from '../support/leak-search.ts'
import { publishedReleases } from '../support/published-releases.ts'
import { runApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { reportDebian, runForeign } from './foreign-programs.ts'

const perl = (module: string): readonly string[] => [
  `-M${module}`,
  '-e',
  `my $j = ${module}->new->utf8->canonical;
   for (@ARGV) { local $/; open my $f, '<', $_; print $j->encode($j->decode(<$f>)->{data}), "\\n" }`,
]
const python = (module: string, options: string): readonly string[] => [
  '-c',
  `import ${module} as json, sys
for name in sys.argv[1:]:
    print(json.dumps(json.load(open(name))["data"], ensure_ascii=False, ${options}))`,
]
const COMPACT = 'separators=(",", ":")'
const ruby = (library: string, dump: string): readonly string[] => [
  '-Eutf-8',
  `-r${library}`,
  '-e',
  `ARGV.each { |name| puts ${dump} }`,
]

/** Each prints the data of every file that it is given, one in a line, in the way that its language offers. */
const TOOLS: readonly (readonly [
  debian: string,
  language: string,
  program: string,
  args: readonly string[],
])[] = [
  ['jq', 'jq', 'jq', ['-Sc', '.data']],
  ['gojq', 'jq', 'gojq', ['-c', '.data']],
  ['python3', 'Python', '/usr/bin/python3', python('json', COMPACT)],
  ['python3-simplejson', 'Python', '/usr/bin/python3', python('simplejson', COMPACT)],
  ['python3-ujson', 'Python', '/usr/bin/python3', python('ujson', 'escape_forward_slashes=False')],
  ['ruby', 'Ruby', 'ruby', ruby('json', 'JSON.generate(JSON.parse(File.read(name))["data"])')],
  [
    'ruby-oj',
    'Ruby',
    'ruby',
    ruby('oj', 'Oj.dump(Oj.load(File.read(name))["data"], mode: :compat)'),
  ],
  ['perl', 'Perl', 'perl', perl('JSON::PP')],
  ['libjson-xs-perl', 'Perl', 'perl', perl('JSON::XS')],
  ['libcpanel-json-xs-perl', 'Perl', 'perl', perl('Cpanel::JSON::XS')],
  [
    'libmojolicious-perl',
    'Perl',
    'perl',
    [
      '-MMojo::JSON=decode_json,encode_json',
      '-e',
      // It writes each / as \/.
      `for (@ARGV) { local $/; open my $f, '<', $_;
         my $text = encode_json(decode_json(<$f>)->{data}); $text =~ s{\\\\/}{/}g; print $text, "\\n" }`,
    ],
  ],
  [
    'php-cli',
    'PHP',
    'php',
    [
      '-r',
      `foreach (array_slice($argv, 1) as $name) echo json_encode(json_decode(file_get_contents($name))->data,
        JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS), "\\n";`,
      '--',
    ],
  ],
  [
    'lua-dkjson',
    'Lua',
    'lua5.4',
    [
      '-e',
      `local json = require 'dkjson'
       local function collect(value, names)
         if type(value) == 'table' then
           for name, each in pairs(value) do
             if type(name) == 'string' then names[name] = true end
             collect(each, names)
           end
         end
       end
       for _, name in ipairs(arg) do
         local data = json.decode(io.open(name):read('a'), 1, json.null).data
         local names, order = {}, {}
         collect(data, names)
         for each in pairs(names) do order[#order + 1] = each end
         table.sort(order)
         print(json.encode(data, { keyorder = order }))
       end`,
      '/dev/null',
    ],
  ],
  [
    'r-cran-jsonlite',
    'R',
    'Rscript',
    [
      '-e',
      // It writes </ as <\/.
      `library(jsonlite)
       for (name in commandArgs(TRUE)) {
         data <- fromJSON(name, simplifyVector = FALSE)$data
         text <- toJSON(data, auto_unbox = TRUE, null = "null", digits = NA)
         cat(gsub("<\\\\/", "</", text, fixed = TRUE), "\\n", sep = "")
       }`,
    ],
  ],
  [
    'erlang-jiffy',
    'Erlang',
    'erl',
    [
      '-noshell',
      '-eval',
      `ok = io:setopts([{encoding, latin1}]),
       [begin
          {ok, Bytes} = file:read_file(Name),
          {Members} = jiffy:decode(Bytes),
          file:write(standard_io, [jiffy:encode(proplists:get_value(<<"data">>, Members)), 10])
        end || Name <- init:get_plain_arguments()], halt().`,
      '-extra',
    ],
  ],
  [
    'sqlite3',
    'SQL',
    'sh',
    [
      '-c',
      `for name; do sqlite3 :memory: "select json_extract(readfile('$name'), '$.data')"; done`,
      '--',
    ],
  ],
]

const GO = `package main
import ("bytes"; "encoding/json"; "os")
func main() {
  for _, name := range os.Args[1:] {
    text, _ := os.ReadFile(name)
    decoder := json.NewDecoder(bytes.NewReader(text))
    decoder.UseNumber()
    var body struct{ Data any \`json:"data"\` }
    if decoder.Decode(&body) != nil { os.Exit(1) }
    encoder := json.NewEncoder(os.Stdout)
    encoder.SetEscapeHTML(false)
    encoder.Encode(body.Data)
  }
}`

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** The documents that service and archive serve: a file with the body of each, and the digest of its data. */
async function saveDocuments(t: TestContext, folder: string) {
  const documents: { readonly file: string; readonly digest: string; readonly from: string }[] = []
  const app = await runApp(t, { releases: publishedReleases() })
  const add = (from: string, text: string, digest: string): void => {
    const file = path.join(folder, `${documents.length}.json`)
    writeFileSync(file, text)
    documents.push({ file, digest, from })
  }
  for (const row of Object.values(ENDPOINTS) as readonly Endpoint[]) {
    const { method, path: template, parameter, success } = row
    if (method !== 'GET') continue
    const target = template.replace(/\{.*\}/, parameter?.example ?? '')
    const response = await app.fetch(target)
    const etag = response.headers.get('etag')
    if (response.status !== 200 || etag === null) continue
    const text = await response.text()
    add(target, success?.envelope === 'none' ? `{"data":${text}}` : text, etag.slice(3, -1))
  }
  for (const kind of ['resources', 'versions']) {
    for (const [file] of filesBelow(path.join('releases', kind))) {
      const target = `/archive/${path.relative('releases', file)}`
      const text = await app.text(target)
      add(target, `{"data":${text}}`, digestOf(text))
    }
  }
  return documents
}

test('the ETag is what JSON tools of ten languages compute, for every document', async (t) => {
  const folder = temporaryFolder(t)
  const documents = await saveDocuments(t, folder)
  t.diagnostic(`${documents.length} documents`)
  assert.ok(documents.length > 90, String(documents.length))
  const check = async (program: string, args: readonly string[]): Promise<void> => {
    const names = documents.map(({ file }) => file)
    const { code, stdout, stderr } = await runForeign(program, [...args, ...names])
    assert.equal(code, 0, stderr)
    const lines = stdout.split('\n')
    const wrong = documents.filter(({ digest }, at) => digestOf(lines[at] ?? '') !== digest)
    const places = wrong.map(({ from }) => from)
    assert.deepEqual(places, [])
  }
  for (const [debian, language, program, args] of TOOLS) {
    const isMissing = !hasProgram(debian === 'sqlite3' ? debian : path.basename(program))
    const skip = isMissing && `${debian} is not installed`
    await t.test(`${debian} (${language})`, { skip }, async (each) => {
      await reportDebian(each, debian)
      await check(program, args)
    })
  }
  const skip = !hasProgram('go') && 'go is not installed'
  await t.test('golang-go (Go)', { skip }, async (each) => {
    await reportDebian(each, 'golang-go')
    writeFileSync(path.join(folder, 'main.go'), GO)
    const built = await runForeign('go', ['build', '-o', 'tool', 'main.go'], { cwd: folder })
    assert.equal(built.code, 0, built.stderr)
    await check(path.join(folder, 'tool'), [])
  })
})
