// isolated: the linters must not use the network, so Socket.connect is replaced
import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { before, describe, mock, test } from 'node:test'
import { createOpenApi } from '@public-api/contract/documents/openapi'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Spectral, type RulesetDefinition } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import { CHANGED_REGISTRY, PRODUCTION } from './contract-fixture.ts'

// The one place where findings of the recommended rules are accepted, each with its reason. A finding that is not
// listed fails the test, and so does an entry that no linter reports any more.
const PREVIEW = { path: '/api/v1/preview/{path}', method: 'get' }
const NEVER_SUCCEEDS =
  'The preview namespace is disabled: it has no success to describe, and inventing one would promise it.'
const EXPLAINED = [
  { linter: 'redocly', rule: 'operation-2xx-response', at: PREVIEW, reason: NEVER_SUCCEEDS },
  { linter: 'spectral', rule: 'operation-success-response', at: PREVIEW, reason: NEVER_SUCCEEDS },
] as const

interface Finding {
  readonly rule: string
  /** JSON pointer of the place. */
  readonly at: string
  readonly message: string
}

async function lintWithRedocly(source: string): Promise<Finding[]> {
  const config = await createConfig({ extends: ['recommended'], telemetry: 'off' })
  const problems = await lintFromString({ source, config, absoluteRef: '/openapi.json' })
  return problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    at: location[0]?.pointer?.replace(/^#/, '') ?? '',
    message,
  }))
}

async function lintWithSpectral(source: string): Promise<Finding[]> {
  const spectral = new Spectral()
  // The package states its ruleset more narrowly than its own definition type takes.
  spectral.setRuleset({ extends: [[oas as RulesetDefinition, 'recommended']] })
  const findings = await spectral.run(source)
  return findings.map(({ code, message, path }) => ({
    rule: String(code),
    at: path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    message,
  }))
}

const LINTERS = { redocly: lintWithRedocly, spectral: lintWithSpectral }

function explainedBy(linter: string): { rule: string; at: string }[] {
  return EXPLAINED.filter((each) => each.linter === linter).map(({ rule, at }) => ({
    rule,
    at: `/paths/${at.path.replaceAll('/', '~1')}/${at.method}/responses`,
  }))
}

describe('the document passes the recommended rules', () => {
  before(() => {
    mock.method(Socket.prototype, 'connect', () => {
      throw new Error('A linter wanted to reach the network')
    })
  })

  for (const [linter, lint] of Object.entries(LINTERS)) {
    test(`of ${linter}, in production`, async () => {
      const findings = await lint(JSON.stringify(createOpenApi(PRODUCTION)))
      assert.deepEqual(
        findings.map(({ rule, at }) => ({ rule, at })),
        explainedBy(linter),
        JSON.stringify(findings, null, 2),
      )
    })

    test(`of ${linter}, with a deprecated and a local row`, async () => {
      const options = { ...PRODUCTION, registry: CHANGED_REGISTRY, runtime: 'local' } as const
      const findings = await lint(JSON.stringify(createOpenApi(options)))
      assert.deepEqual(
        findings.map(({ rule, at }) => ({ rule, at })),
        explainedBy(linter),
        JSON.stringify(findings, null, 2),
      )
    })

    test(`of ${linter}, which finds an injected fault`, async () => {
      const document = createOpenApi(PRODUCTION)
      const broken = JSON.stringify({
        ...document,
        paths: { ...document.paths, '/x/{y}': { get: {} } },
      })
      const findings = await lint(broken)
      assert.ok(findings.some(({ at }) => at.startsWith('/paths/~1x~1{y}')))
    })
  }
})
