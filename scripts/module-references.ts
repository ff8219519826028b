import { parseSync, Visitor, type Argument, type Expression, type StringLiteral } from 'oxc-parser'

/** One reference of a TypeScript module to another: an import, a re-export, a dynamic import or an import type. */
export interface ModuleReference {
  /** The specifier as written; undefined if it is computed. */
  readonly specifier: string | undefined
  /** Line of the specifier, from 1. */
  readonly line: number
  /** Whether it disappears when types are stripped. */
  readonly isTypeOnly: boolean
}

/** Every reference of a TypeScript source text to another module, by kind. */
export function moduleReferences(source: string): readonly ModuleReference[] {
  const found: ModuleReference[] = []
  const add = (node: Argument | Expression | StringLiteral, isTypeOnly: boolean): void => {
    const specifier =
      node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
    const line = source.slice(0, node.start).split('\n').length
    found.push({ specifier, line, isTypeOnly })
  }
  const visitor = new Visitor({
    ImportDeclaration({ source: from, importKind, specifiers }) {
      const isEachType =
        specifiers.length > 0 &&
        specifiers.every((each) => each.type === 'ImportSpecifier' && each.importKind === 'type')
      add(from, importKind === 'type' || isEachType)
    },
    ExportNamedDeclaration({ source: from, exportKind, specifiers }) {
      if (from === null) return
      const isEachType =
        specifiers.length > 0 && specifiers.every((each) => each.exportKind === 'type')
      add(from, exportKind === 'type' || isEachType)
    },
    ExportAllDeclaration: ({ source: from, exportKind }) => add(from, exportKind === 'type'),
    ImportExpression: ({ source: from }) => add(from, false),
    TSImportType: ({ source: from }) => add(from, true),
  })
  visitor.visit(parseSync('module.ts', source).program)
  return found
}
