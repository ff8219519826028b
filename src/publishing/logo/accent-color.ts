// In one file: the other form of the package has 151, which every command that reads the content would load.
import culori from 'culori/require'
import { type Fault, fault, type FieldPath } from '../rules/content-mistake.ts'

const { clampChroma, converter, differenceEuclidean, formatHex, wcagContrast } = culori

// Colors of src/pages/style.css next to which the accent appears: the darkest light surface, the lightest dark surface,
// and the text. A test compares them with the style sheet.
export const ACCENT_SURFACES = { light: '#f2eee6', dark: '#262422' } as const
export const TEXT_COLOR = '#24211c'

/** Minimum contrast of text on its background (WCAG 2.2, 1.4.3). */
const MIN_CONTRAST = 4.5

/** Minimum distance in OKLab at which two adjacent colors look different. */
const MIN_DISTANCE_FROM_TEXT = 0.1

const toOklab = converter('oklab')

/** Distance from the text in OKLab. Colors darker than the text differ from it by their hue only. */
function distanceFromText(color: string): number {
  const text = toOklab(TEXT_COLOR)
  const { l = 0, a = 0, b = 0 } = toOklab(color) ?? {}
  const visible = { mode: 'oklab', l: Math.max(l, text?.l ?? 0), a, b } as const
  return differenceEuclidean('oklab')(visible, TEXT_COLOR)
}

/** The reason why a color cannot be the accent; undefined if it can. */
export function accentFault(color: string, path: FieldPath): Fault | undefined {
  const onLight = wcagContrast(color, ACCENT_SURFACES.light)
  if (onLight < MIN_CONTRAST) {
    const found = `${color}, with a contrast of ${onLight.toFixed(2)}:1 on the light background ${ACCENT_SURFACES.light}`
    return fault(path, found, `a darker color, with at least ${MIN_CONTRAST}:1`)
  }
  if (distanceFromText(color) < MIN_DISTANCE_FROM_TEXT) {
    const found = `${color}, which looks like the text (${TEXT_COLOR})`
    return fault(path, found, 'a color that differs from the text')
  }
  return undefined
}

/** The accent in both color schemes. The dark variant has the same hue and is light enough to read. */
export function deriveAccent(color: string): { readonly light: string; readonly dark: string } {
  const { c = 0, h = 0 } = converter('oklch')(color) ?? {}
  let dark = '#ffffff'
  for (let l = 1; l > 0.6; l -= 0.01) {
    // Less chroma where sRGB cannot show all of it at this lightness.
    const darker = formatHex(clampChroma({ mode: 'oklch', l, c, h }, 'oklch'))
    // More than the minimum: thin letters on a dark background look dimmer than their contrast.
    if (wcagContrast(darker, ACCENT_SURFACES.dark) < MIN_CONTRAST + 1.5) break
    dark = darker
  }
  return { light: color.toLowerCase(), dark }
}
