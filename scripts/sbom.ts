import { execFileSync } from 'node:child_process'
import { runScript } from './script-main.ts'

const HELP = `Usage: npm run --silent sbom > sbom.cdx.json

Prints the software bill of materials of an installation without development packages:
CycloneDX, from package-lock.json.

  --help    this text

Exit code: 0 printed, 1 a failure, 2 wrong usage.
`

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
}

interface Sbom {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

function isForDevelopment({ properties = [] }: Component): boolean {
  return properties.some(({ name }) => name === 'cdx:npm:package:development')
}

/** npm names a package of the checkout by its folder. The reference has the name of its manifest. */
function withOwnName(component: Component): Component {
  const reference = component['bom-ref']
  return { ...component, name: reference.slice(0, reference.lastIndexOf('@')) }
}

await runScript(import.meta, {
  help: HELP,
  options: {},
  async run() {
    // npm's own --omit=dev also leaves out what the service and a development package both need, such as pg.
    const args = [
      'sbom',
      '--package-lock-only',
      '--sbom-format=cyclonedx',
      '--sbom-type=application',
    ]
    const full = JSON.parse(
      execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 100_000_000 }),
    ) as Sbom
    const omitted = new Set(full.components.filter(isForDevelopment).map((each) => each['bom-ref']))
    const components = full.components
      .filter((each) => !omitted.has(each['bom-ref']))
      .map(withOwnName)
    const metadata = { ...full.metadata, component: withOwnName(full.metadata.component) }
    const dependencies = full.dependencies
      .filter(({ ref }) => !omitted.has(ref))
      .map(({ ref, dependsOn = [] }) => ({
        ref,
        dependsOn: dependsOn.filter((each) => !omitted.has(each)),
      }))
    process.stdout.write(
      `${JSON.stringify({ ...full, metadata, components, dependencies }, undefined, 2)}\n`,
    )
    return 0
  },
})
