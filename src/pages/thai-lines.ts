/** Word joiner: no line break here. */
const JOINED = '\u2060'
/** Zero-width space: a line may break here. */
const SEAM = '\u200b'

/**
 * Thai has no spaces between words, so browsers find line breaks with a dictionary. It lacks loanwords: it breaks
 * them, or merges their last letters with the next word. Each is listed with `+` where it was broken; lines may break
 * at both ends of it.
 */
const LOANWORDS = [
  'แฮช',
  'วอล+เล็ต',
  'เฮด+เด+อร์',
  'โรด+แมป',
  'โท+เค็น',
  'สแนป+ช็อต',
  'บอท',
  'แพ็ก+เกจ',
  'ไคล+เอนต์',
  'เอ+เจนต์',
  'เท+อร์+มิ+นัล',
  'อิน+เทอร์+เฟซ',
  'พร็+อก+ซี',
  'ออบ+เจ็กต์',
  'ตรวจ+สอบ+ย้อน+หลัง',
  'แก้+ย้อน+หลัง',
  'ตรวจ+สอบ',
  'ลง+นาม',
] as const

/** Neighboring words that the dictionary separates in the wrong place, with `|` at the boundary. */
const NEIGHBORS = ['ดึง|สถานะ', 'ชัน|แสดง', 'ผล+กระทบ', 'ตาย+ตัว', 'เปิด+ตัว'] as const

const THAI = /[\u0e01-\u0e3a\u0e40-\u0e45]/

const held = new Map(
  [...LOANWORDS, ...NEIGHBORS].map((each) => [
    each.replaceAll(/[+|]/g, ''),
    each.replaceAll('+', JOINED).replaceAll('|', SEAM),
  ]),
)
const loanwords: ReadonlySet<string> = new Set(LOANWORDS.map((each) => each.replaceAll('+', '')))

const ANY = new RegExp([...held.keys()].join('|'), 'g')

/** A Thai text whose lines break between words. */
export function withThaiLines(text: string): string {
  return text.replaceAll(ANY, (word, at: number) => {
    const marked = held.get(word) ?? word
    if (!loanwords.has(word)) return marked
    const before = THAI.test(text.charAt(at - 1)) ? SEAM : ''
    const after = THAI.test(text.charAt(at + word.length)) ? SEAM : ''
    return before + marked + after
  })
}
