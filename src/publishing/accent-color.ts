/** Linear-light sRGB channels, 0 to 1. */
type Rgb = readonly [red: number, green: number, blue: number]

/** A color in OKLab: lightness and two color axes. */
type Lab = readonly [lightness: number, a: number, b: number]

// Colors of src/pages/style.css next to which the accent appears: the darkest light surface, the lightest dark surface,
// and the text. A test compares them with the style sheet.
export const ACCENT_SURFACES = { light: '#f2eee6', dark: '#262422' } as const
export const TEXT_COLOR = '#24211c'

/** Minimum contrast of text on its background (WCAG 2.2, 1.4.3). */
const MIN_CONTRAST = 4.5

/** Minimum distance in OKLab at which two adjacent colors look different. */
const MIN_DISTANCE_FROM_TEXT = 0.1

function parseColor(color: string): Rgb {
  const channel = (start: number): number => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [channel(1), channel(3), channel(5)]
}

function formatColor(rgb: Rgb): string {
  const hex = rgb.map((linear) => {
    const clipped = Math.min(1, Math.max(0, linear))
    const value = clipped <= 0.0031308 ? clipped * 12.92 : 1.055 * clipped ** (1 / 2.4) - 0.055
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0')
  })
  return `#${hex.join('')}`
}

/** Relative luminance (WCAG 2.2). */
function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(parseColor(a)), luminance(parseColor(b))].toSorted(
    (x, y) => y - x,
  )
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)
}

// Björn Ottosson's matrices of OKLab.
function toLab([red, green, blue]: Rgb): Lab {
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}

function toRgb([lightness, a, b]: Lab): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

/** The share of a color's chroma that sRGB can show at this lightness. */
function fitChroma([lightness, a, b]: Lab): Rgb {
  for (let part = 1; part > 0; part -= 0.02) {
    const rgb = toRgb([lightness, a * part, b * part])
    if (rgb.every((channel) => channel >= -0.0001 && channel <= 1.0001)) return rgb
  }
  return toRgb([lightness, 0, 0])
}

/** The reason why a color cannot be the accent; undefined if it can. */
export function accentFault(color: string): { found: string; expected: string } | undefined {
  const onLight = contrast(color, ACCENT_SURFACES.light)
  if (onLight < MIN_CONTRAST) {
    return {
      found: `${color}, with a contrast of ${onLight.toFixed(2)}:1 on the light background ${ACCENT_SURFACES.light}`,
      expected: `a darker color, with at least ${MIN_CONTRAST}:1`,
    }
  }
  const [accent, text] = [toLab(parseColor(color)), toLab(parseColor(TEXT_COLOR))]
  const distance = Math.hypot(accent[0] - text[0], accent[1] - text[1], accent[2] - text[2])
  if (distance < MIN_DISTANCE_FROM_TEXT) {
    return {
      found: `${color}, which looks like the text (${TEXT_COLOR})`,
      expected: 'a color that differs from the text',
    }
  }
  return undefined
}

/** The accent in both color schemes. The dark variant has the same hue and is light enough to read. */
export function deriveAccent(color: string): { readonly light: string; readonly dark: string } {
  const [, a, b] = toLab(parseColor(color))
  for (let lightness = 0.6; lightness < 1; lightness += 0.01) {
    const dark = formatColor(fitChroma([lightness, a, b]))
    // More than the minimum: thin letters on a dark background look dimmer than their contrast.
    if (contrast(dark, ACCENT_SURFACES.dark) >= MIN_CONTRAST + 1.5) {
      return { light: color.toLowerCase(), dark }
    }
  }
  return { light: color.toLowerCase(), dark: '#ffffff' }
}
