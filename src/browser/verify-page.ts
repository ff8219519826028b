import { READ_PATHS } from '@public-api/contract/registry/read-paths'
// The page on verifying: fetches the status and verifies it step by step with the client library.
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { mountLiveCheck } from './live-verification.ts'
import { pageElement, partOf } from './page-element.ts'
import { signedLinesOf } from './proof-check.ts'

/** Table cells for the lines that only a response has, by line. */
const FILLED_LINES = { 3: '#line-status', 4: '#line-signedat', 5: '#line-digest' } as const

const resultPlace = partOf(document, '#check-result', HTMLElement)

const stepsPlace = partOf(document, '#check-steps', HTMLElement)

/**
 * The resources of another page, whose footer leads here; the path of an unknown one is not requested. They are in the
 * fragment, so that programs that copy pages fetch this one once; bookmarks of earlier releases have them in the query.
 */
const wanted = location.search || location.hash.slice(1)
const paths = (new URLSearchParams(wanted).get('of') ?? '')
  .split(' ')
  .map((name) => `${BASE_PATH}/${name}`)
  .filter((path) => Object.values<string>(READ_PATHS).includes(path))

if (paths.length > 0) partOf(document, '#browser', HTMLElement).scrollIntoView()
mountLiveCheck({
  ...(paths.length > 0 && { paths }),
  button: partOf(document, '#check-start', HTMLButtonElement),
  stepsPlace,
  onStart() {
    stepsPlace.replaceChildren()
    resultPlace.replaceChildren()
  },
  onCheck(check) {
    if (check.kind === 'silent') return
    const lines = signedLinesOf(check.response).split('\n')
    for (const [index, place] of Object.entries(FILLED_LINES)) {
      const line = pageElement('code', lines[Number(index)] ?? '')
      partOf(document, place, HTMLElement).replaceChildren(line)
    }
  },
  showResult(nodes, isVerdict) {
    resultPlace.append(pageElement('p', nodes, isVerdict ? '' : 'note note-warn'))
  },
})
