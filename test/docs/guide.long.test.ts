import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DocumentedBlock, documentedBlocks } from '../support/documented-blocks.ts'
import { runOnMachine, skip } from '../support/documented-machine.ts'

/** Lines that this machine cannot run, and the test that runs them elsewhere. */
const LEFT_OUT: readonly (readonly [start: string, why: string])[] = [
  ['sudo git clone ', 'the checkout is mounted; test/process/first-start.process.test.ts clones'],
  ['sudo npm ci ', 'test/production-install.long.test.ts'],
  ['svc preview', 'serves until it is stopped; test/preview'],
  ['sudo systemctl ', 'test/deploy/systemd.long.test.ts'],
  ['journalctl ', 'test/deploy/systemd.long.test.ts'],
  ['svc verify https://api.example.org', 'no name leads to this machine; test/cli/verify.test.ts'],
]

const isLeftOut = (line: string) => LEFT_OUT.some(([start]) => line.trim().startsWith(start))

const run = (block: string) =>
  block
    .split('\n')
    .filter((line) => !isLeftOut(line))
    .join('\n')

/** The steps of the guide and of a night, as the page has them. */
function steps(): string {
  const texts = (blocks: readonly DocumentedBlock[]) => blocks.map(({ text }) => text)
  const guide = texts(documentedBlocks('docs/operating.md', 'Your own service in an hour'))
  const [install, completion, content, publish, secrets, configure, proxy, , record] = guide
  const today = new Date().toISOString().slice(0, 10)
  const year = Number(today.slice(0, 4)) + 1
  const night = texts(documentedBlocks('docs/operating.md', 'An incident at night'))
    .map((block) => block.replaceAll(/reads-fail-\d{4}-\d\d-\d\d/g, `reads-fail-${today}`))
    .join('\n')
  const planned = texts(documentedBlocks('docs/operating.md', 'Planned maintenance'))
    .join('\n')
    .replaceAll('2027-', `${year}-`)
  const [tlog = ''] = texts(documentedBlocks('docs/witnesses.md', 'Start alone'))
  assert.equal(guide.length, 9)
  assert.ok(night.includes(`reads-fail-${today}`) && planned.includes(`${year}-`))
  return [
    install,
    completion,
    content,
    publish,
    'cd $HOME',
    secrets
      ?.replace('echo age1…', 'echo $RECIPIENT')
      .replace("sh -c '", "env RECIPIENT=$(sed -n 's/.*key: //p' waitlist-identity.txt) sh -c '"),
    'cd /opt/public-api',
    configure,
    'sudo mkdir -p /etc/caddy',
    proxy,
    'grep -c YOUR-NAME /etc/caddy/Caddyfile',
    'cd /run/person',
    'svc check --config',
    'sudo env -i PATH=/usr/bin:/bin /usr/local/bin/svc check --config # as cron of root',
    record,
    night,
    'svc rollback VS-0002 --note "Take a wrong text back"',
    // Publishing goes on from what was rolled back.
    `svc incident resolve reads-fail-${today} --text "It works again." --summary "Reads work." --publish`,
    planned,
    tlog,
    'svc tlog cosign',
    'svc check --config',
    'svc versions',
    'svc audit /srv/public-api/releases',
    'find /srv/public-api -printf "%u %p\\n" | grep -v "^person " && exit 1 || true',
    'svc discard',
  ]
    .map((block) => run(block ?? ''))
    .join('\n')
}

/** The same machine with a second person in the group, up to the moment when the night begins. */
function twoPeople(): string {
  const texts = (blocks: readonly DocumentedBlock[]) => blocks.map(({ text }) => text)
  const guide = texts(documentedBlocks('docs/operating.md', 'Your own service in an hour'))
  const [install, , content, publish, , configure] = guide
  const [group = ''] = texts(documentedBlocks('docs/operating.md', 'Two people publish'))
  const [tlog = ''] = texts(documentedBlocks('docs/witnesses.md', 'Start alone'))
  const secrets = `sudo -u public-api sh -c 'umask 077; cd /etc/public-api/secrets
  openssl rand -hex 32 > key-hash-secret.txt
  openssl rand -hex 32 > address-hash-secret.txt
  echo age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p > waitlist-recipient.txt'`
  return [
    install,
    content,
    publish,
    secrets,
    configure,
    group.replaceAll(/\bann\b/g, 'person'),
    // As someone who logged in again.
    FAILS,
    tlog.replace('"$(id -gn)"', 'publishers').replaceAll(/^svc /gm, 'ann svc '),
    NIGHT,
    FORM,
  ]
    .map((block) => run(block ?? ''))
    .join('\n')
}

/** Whether a command fails with this code, and what it says. */
const FAILS = String.raw`
fails() {
  code=$1; said=$2; shift 2
  got=0; "$@" >"$HOME/said" 2>&1 || got=$?
  cat "$HOME/said"
  [ "$got" = "$code" ] && grep -Eq -- "$said" "$HOME/said" || { echo "expected exit $code and $said from: $*; got $got"; exit 9; }
}
says() { fails 0 "$@"; }
ben() { sudo -u ben env HOME=/run/ben PATH=/usr/local/bin:/usr/bin:/bin "$@"; }
ann() { sudo -u person env HOME=/run/person PATH=/usr/local/bin:/usr/bin:/bin "$@"; }
c=/srv/public-api/content
`

/** The night of two people, with the mistakes of people who are tired. */
const NIGHT = String.raw`
cd /run/person
# A colleague's half edit, a note and a file of an editor.
cp $c/roadmap.yaml saved
ann sh -c "echo 'items: [' >> $c/roadmap.yaml; echo seen > $c/notes.txt; touch $c/.status.yaml.swp"
fails 2 'a dash that a phone types' ben svc incident open —title Reads --impact major
says 'roadmap.yaml has mistakes and is not published' ben svc incident open --id night --title "Reads fail" --title-th "อ่านไม่ได้" --impact major --component read-api=degraded --summary "Reads fail." --text "$(printf 'We look.
More soon.')" --at 2026-11-01T07:00:00+07:00 --publish -m "$(printf 'x%.0s' $(seq 600))"
says 'x{100}' ben svc versions
says 'at: 2026-11-01T00:00:00Z' cat $c/status.yaml
says 'versions signed' ann svc tlog status
fails 1 'already exists' ben svc incident open --id night --title "Reads fail" --impact major --component read-api=degraded --summary "Reads fail." --text "$(printf 'We look.
More soon.')" --publish
# One of the two has the key for a while.
sudo chown person /var/lib/public-api-log/log-key.pem
sudo chmod 600 /var/lib/public-api-log/log-key.pem
says 'is pending in the log: .*log-key.pem cannot be read: EACCES' ben svc incident update night --text "A disk." --publish
fails 1 'is pending in the log' ben svc tlog cosign
says 'serves [0-9]+ versions' ann svc tlog cosign
sudo chmod 640 /var/lib/public-api-log/log-key.pem
fails 1 'has this state and this text' ben svc incident update night --text "A disk." --publish
says Published ann svc incident resolve night --text "It works." --publish
fails 1 'expected svc incident reopen' ben svc incident update night --text "Again." --publish
says Published ben svc incident reopen night --component read-api=degraded --summary "Slow." --text "Again." --publish
says Published ann svc incident resolve night --text "It works again." --publish
fails 2 'has passed' ben svc maintenance schedule --title Swap --component read-api --from 2026-01-01T00:00:00Z --to 2026-01-01T01:00:00Z --text Short. --publish
# All of the folder needs all of it to be right.
fails 1 'mistake' ann svc publish -m "Roadmap"
says 'is as|Discarded|discarded' ben svc discard roadmap --yes
ann rm $c/notes.txt
ann sed -i '0,/title: .*/s//title: A new plan/' $c/roadmap.yaml
says 'Published|Nothing' ann svc publish --auto-note
# A killed publication, and an empty record of what was published.
ann sh -c ": > $c/.published.json; touch $c/status.yaml.0123456789ab.partial"
says Published ben svc incident open --id again --title Slow --impact none --component read-api=operational --text "Slow." --publish
says Published ben svc incident resolve again --text "Fast." --publish
says 'The configuration is valid' svc check --config
if grep -E 'expected one owner|cannot write' "$HOME/said"; then exit 9; fi
says intact ann svc audit /srv/public-api/releases
`

/** The form of a forge, from a clone, where a tag has the name of the branch. */
const FORM = String.raw`
export SVC='/opt/public-api/node_modules/.bin/node /opt/public-api/src/cli/svc.ts' SVC_ENVIRONMENT_FILE= GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
kit=/opt/public-api/deploy
git init -q --bare --initial-branch=main origin.git
git clone -q origin.git clone 2>/dev/null; cd clone; git checkout -q -B main
cp -r $c content; cp -r /srv/public-api/releases releases; rm -rf releases/log content/.lock* content/.discarded
git add --all; git commit -qm First; git push -q origin HEAD:refs/heads/main; cd ..
git clone -q origin.git server; git clone -q origin.git other
cd clone; git tag main HEAD; git push -q origin refs/tags/main; cd ..
form() { (cd clone; git fetch -q origin refs/heads/main; git reset -q --hard FETCH_HEAD; git clean -qfd; env "$@" $kit/git/publish.sh incident); }
newest() { git -C clone log -1 --format=%s refs/heads/main; }
fails 2 'expected open, update, resolve or reopen' form ACTION=--help TEXT=x
fails 2 'unknown incident "--help"' form ACTION=resolve ID=--help TEXT=x
says Published form ACTION=open TITLE='Writes fail' IMPACT=minor COMPONENTS='read-api=degraded' SUMMARY='Writes fail.' TEXT="$(printf 'Long %.0s' $(seq 120))
and a second line=" TEXT_TH='เขียนไม่ได้'
fails 2 'expects ID=STATE' form ACTION=update ID=x COMPONENTS='*' TEXT=x
(cd other; git commit -q --allow-empty --cleanup=verbatim --allow-empty-message -m '--create	write to a@b.example'; git pull -q --rebase origin refs/heads/main; git push -q origin HEAD:refs/heads/main)
says 'Nothing' sh -c "cd clone && git fetch -q origin refs/heads/main && git reset -q --hard FETCH_HEAD && $kit/git/publish.sh"
$kit/git/pull.sh server
says 'second line=' cat server/content/status.yaml
says เขียนไม่ได้ cat server/content/th/status.yaml
git -C other remote set-url origin /nowhere
(cd other; fails 128 'not appear to be a git repository|does not exist' env ORIGIN=http://127.0.0.1:9 $kit/copy/pages.sh)
`

test(
  'the guide and a night run as docs/operating.md has them, as the users that it names',
  { skip },
  async (t) => {
    const { status, output } = await runOnMachine(t, steps())
    assert.equal(status, 0, output)
    assert.match(output, /^Published VS-0001 in \/srv\/public-api\/releases /m)
    assert.match(output, /^The configuration is valid/m)
    assert.match(output, /^Nothing to discard: /m)
  },
)

test(
  'two people, a log, a night and its mistakes, from ssh and from the form of a forge',
  { skip },
  async (t) => {
    const { status, output } = await runOnMachine(t, twoPeople())
    assert.equal(status, 0, output)
  },
)
