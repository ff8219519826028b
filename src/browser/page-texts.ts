/** A text with a form for each plural category that its language has (CLDR). */
interface PluralForms {
  readonly [category: string]: string
}

/** What stands in the braces of a text, by name. */
export interface TextValues {
  readonly [place: string]: string | number
}

/** Texts that the server wrote into the page for its script, by the keys they have in the locale file. */
export interface PageTexts {
  /** A text with its `{places}` filled. Throws an Error for a key or a place that is not there. */
  text(key: string, values?: TextValues): string
  /** A counted text in the form that the page's language asks for; `{count}` is written as the language does. */
  count(key: string, count: number, values?: TextValues): string
}

const PLACE = /\{([a-zA-Z]+)\}/g

function fill(text: string, values: TextValues): string {
  return text.replaceAll(PLACE, (_place, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`"${text}" has no value for {${name}}`)
    return String(value)
  })
}

/** A member of a tree of texts by a key with dots, such as `steps.digest`. */
function memberAt(texts: unknown, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>(
      (branch, name) =>
        typeof branch === 'object' && branch !== null && Object.hasOwn(branch, name)
          ? (branch as { readonly [name: string]: unknown })[name]
          : undefined,
      texts,
    )
}

/** Texts by a tree of them, for a language. */
function textsFrom(name: string, tree: unknown, language: string): PageTexts {
  const missing = (key: string): Error =>
    new Error(`The page has no text ${key} among those called "${name}"`)
  return {
    text(key, values = {}) {
      const text = memberAt(tree, key)
      if (typeof text !== 'string') throw missing(key)
      return fill(text, values)
    },
    count(key, count, values = {}) {
      const forms = memberAt(tree, key)
      if (typeof forms !== 'object' || forms === null) throw missing(key)
      const category = new Intl.PluralRules(language).select(count)
      const { other, ...rest } = forms as PluralForms
      const text = rest[category] ?? other
      if (text === undefined) throw missing(key)
      return fill(text, { count: new Intl.NumberFormat(language).format(count), ...values })
    },
  }
}

/**
 * Reads the texts that the server wrote into the page under a name (`scriptTexts` of src/pages/script-texts.ts), so that
 * a script holds no word for people itself. Throws an Error where the page has none of that name.
 */
export function readPageTexts(name: string): PageTexts {
  const holder = document.querySelector<HTMLTemplateElement>(`template[data-texts="${name}"]`)
  const json = holder?.content.textContent
  if (json === undefined || json === null) throw new Error(`The page has no texts called "${name}"`)
  return textsFrom(name, JSON.parse(json), document.documentElement.lang)
}
