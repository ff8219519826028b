import { wrapText } from '@public-api/cli-kit/wrap-text'
import type { Endpoint } from '@public-api/contract/registry/endpoints'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import {
  clientNameOf,
  clientObjects,
  copiedPathsOf,
  formatRequests,
  readsOf,
  type ClientObject,
  type ClientTypeTables,
} from './client-schemas.ts'

const LINE_CHARACTERS = 108

/** Words that cannot be the name of a field in a class. */
const KEYWORDS: ReadonlySet<string> = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global
  if import in is lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
)

function docstring(indent: string, text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"')
  const lines = wrapText(escaped, LINE_CHARACTERS - indent.length - 6)
  if (lines.length === 1) return `${indent}"""${lines[0]}"""\n`
  return `${indent}"""${lines.join(`\n${indent}`)}\n${indent}"""\n`
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function typeText(schema: JsonSchema): string {
  const text = valueTypeText(schema)
  return schema.nullable === true ? `Optional[${text}]` : text
}

function valueTypeText({ type, title, enum: values, ...rest }: JsonSchema): string {
  const { items, properties, additionalProperties } = rest
  if (values !== undefined) {
    const literals = values.filter((value) => value !== null).map((value) => JSON.stringify(value))
    return `Literal[${literals.join(', ')}]`
  }
  if (type === 'array' && items !== undefined) return `List[${typeText(items)}]`
  if (type === 'object') {
    if (properties !== undefined) {
      if (title === undefined) throw new Error('An object inside another one has no title')
      return clientNameOf(title)
    }
    const value = typeof additionalProperties === 'object' ? typeText(additionalProperties) : 'Any'
    return `Dict[str, ${value}]`
  }
  if (type === 'integer') return 'int'
  return type === 'boolean' ? 'bool' : type === 'string' ? 'str' : 'Any'
}

type Member = readonly [name: string, schema: JsonSchema]

/** One class of members that are all required or all optional. Python 3.9 cannot mark a single one. */
function classText(
  name: string,
  doc: string,
  members: readonly Member[],
  { base, isTotal }: { readonly base?: string; readonly isTotal: boolean },
): string {
  const total = isTotal ? '' : ', total=False'
  const parent = base ?? 'TypedDict'
  const canBeClass = members.every(([member]) => !KEYWORDS.has(member) && /^\w+$/.test(member))
  if (canBeClass) {
    const fields = members.map(
      ([member, schema]) =>
        `    ${member}: ${typeText(schema)}\n${docstring('    ', schema.description ?? '')}`,
    )
    return `class ${name}(${parent}${total}):\n${docstring('    ', doc)}\n${fields.join('')}`
  }
  if (base !== undefined) throw new Error(`${name}: the optional members are not names in Python`)
  const fields = members.map(([member, schema]) => {
    const lines = wrapText(schema.description ?? '', LINE_CHARACTERS - 6)
    return `${lines.map((line) => `        # ${line}\n`).join('')}        "${member}": ${typeText(schema)},\n`
  })
  const comment = wrapText(doc, LINE_CHARACTERS - 2).map((line) => `# ${line}\n`)
  return `${comment.join('')}${name} = TypedDict(\n    "${name}",\n    {\n${fields.join('')}    }${total},\n)\n`
}

function objectText({ name, doc, schema }: ClientObject): string {
  const { properties = {}, required = [] } = schema
  const members = Object.entries(properties)
  const optional = members.filter(([member]) => !required.includes(member))
  const always = members.filter(([member]) => required.includes(member))
  if (optional.length === 0) return classText(name, doc, members, { isTotal: true })
  if (always.length === 0) return classText(name, doc, members, { isTotal: false })
  const base = `_${name}Required`
  const alwaysText = classText(base, `Members that every ${name} has.`, always, { isTotal: true })
  return `${alwaysText}\n\n${classText(name, doc, optional, { base, isTotal: false })}`
}

/** The titles of the objects that a schema refers to. */
function references(schema: JsonSchema): readonly string[] {
  const { items, properties, additionalProperties } = schema
  return [items, additionalProperties, ...Object.values(properties ?? {})].flatMap((each) => {
    if (typeof each !== 'object') return []
    const isNamed = each.properties !== undefined && each.title !== undefined
    return isNamed ? [clientNameOf(each.title)] : references(each)
  })
}

/** The objects, each after those that it refers to: the functional form of a TypedDict evaluates its types. */
function inOrderOfUse(objects: readonly ClientObject[]): readonly ClientObject[] {
  const byName = new Map(objects.map((object) => [object.name, object]))
  const ordered = new Set<ClientObject>()
  const visit = (object: ClientObject): void => {
    for (const name of references(object.schema)) {
      const used = byName.get(name)
      if (used !== undefined && used !== object) visit(used)
    }
    ordered.add(object)
  }
  objects.forEach(visit)
  return [...ordered]
}

function methodText([name, row]: readonly [string, Endpoint]): string {
  const { parameter, summary, description, stability, success } = row
  const doc = [
    `${summary}: ${formatRequests([row])}.${stability === 'stable' ? '' : ` Stability: ${stability}.`}`,
    description,
    ...(parameter === undefined ? [] : [`value: ${parameter.description}`]),
  ]
  const [first = '', ...others] = doc
  const body = [
    ...wrapText(first, LINE_CHARACTERS - 11),
    ...others.flatMap((text) => ['', ...wrapText(text, LINE_CHARACTERS - 8)]),
  ].join('\n        ')
  const docText = `        """${body.replaceAll(/ +$/gm, '')}\n        """\n`
  const data = success === undefined ? 'Any' : clientNameOf(success.data)
  const value = parameter === undefined ? '' : `, value: str${parameter.mayBeEmpty ? ' = ""' : ''}`
  const template = `READ_PATHS["${name}"]`
  const optional = parameter?.mayBeEmpty === true ? ', may_be_empty=True' : ''
  const path = parameter === undefined ? template : `path_with(${template}, value${optional})`
  return `    def ${snakeCase(name)}(self${value}, *, fresh: bool = False) -> Verified[${data}]:\n${docText}        return self._read(${path}, fresh)\n`
}

/** The module of the Python client with the types of the data and the methods that read them. */
export function createPythonTypes(tables: ClientTypeTables): string {
  const objects = inOrderOfUse(clientObjects(tables, { withRequests: false, namesAll: true }))
  const reads = readsOf(tables.registry)
  const paths = reads.map(([name, { path }]) => `    "${name}": "${path}",\n`)
  const copied = copiedPathsOf(tables.registry).map((path) => `        "${path}",\n`)
  const classes = objects.map((object) => `${objectText(object)}\n\n`)
  return `# Written by \`npm run generate\` from the registry and the schemas of the contract.
"""Types of the data, and one method for each read endpoint."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional, TypedDict
from urllib.parse import quote

from .verified import Verified

#: Path template of each read endpoint, by its name in the registry.
READ_PATHS: Mapping[str, str] = {
${paths.join('')}}


#: Targets that a copy of the service can replace: published resources, and the newest version.
COPIED_PATHS = frozenset(
    {
${copied.join('')}    }
)

SAFE = "/!~*'()"


def path_with(template: str, value: str, *, may_be_empty: bool = False) -> str:
    """The path with a value for its parameter. Slashes separate segments; other characters are encoded.

    Raises a ValueError for an empty value, and for one that leads to another path.
    """
    path = template[: template.index("/{")]
    if not value and may_be_empty:
        return path
    if not value or {".", ".."}.intersection(value.split("/")):
        raise ValueError(f"{path}: expected a value without the segments . and .., found {value!r}")
    return f"{path}/{quote(value, safe=SAFE)}"


${classes.join('')}class Reads:
    """One method for each read endpoint. \`\`fresh\`\` bypasses every cache."""

    def _read(self, path: str, fresh: bool) -> Verified[Any]:
        raise NotImplementedError

${reads.map(methodText).join('\n')}`
}
