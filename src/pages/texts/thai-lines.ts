/** Word joiner: no line break here. */
const JOINED = '\u2060'
/** Zero-width space: a line may break here. */
const SEAM = '\u200b'

/**
 * Thai has no spaces between words, so browsers find line breaks with a dictionary. It lacks loanwords: it breaks them,
 * or merges their last letters with the next word. Each is listed with `+` where a browser breaks it. Lines may break
 * before and after it.
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
  'ตอบ+กลับ',
  'ข้อ+ผิด+พลาด',
  'ราย+ชื่อ',
  'ลง+ทะเบียน',
  'จัด+เก็บ',
  'เข้า+สู่+ระบบ',
  'ขีด+จำกัด',
  'ล่วง+หน้า',
  'ปิด+ใช้+งาน',
  'เว้น+ว่าง',
  'เชื่อม+ต่อ',
  'เช่น+กัน',
  'น่า+เชื่อ+ถือ',
  'เชื่อ+ถือ',
  'ยืนยันตัว+ตน',
  'คำ+สั่ง',
  'รูป+แบบ',
  'เผย+แพร่',
  'ลาย+เซ็น',
  'เครือ+ข่าย',
  'ออฟ+ไลน์',
  'ต่าง+หาก',
  'ขณะ+นี้',
  'ระหว่าง+กัน',
  'แจ้ง+เตือน',
  'เหตุ+ขัดข้อง',
  'ทีละ+ขั้น',
  'รู้+จัก',
  'ภาย+หลัง',
  'ช่วง+เวลา',
  'ที่+ใคร',
  'แบบ+จำลอง',
  'วัน+ละ',
  'ส่วน+ประกอบ',
] as const

/** Neighboring words that the dictionary separates in the wrong place, with `|` at the boundary. */
const NEIGHBORS = [
  'ดึง|สถานะ',
  'ชัน|แสดง',
  'ผล+กระทบ',
  'ตาย+ตัว',
  'ก่อน+เปิด+ตัว',
  'เปิด+ตัว',
  'ต่อ+ไป',
  'รวม+ถึง',
] as const

const THAI = /[\u0e01-\u0e3a\u0e40-\u0e45]/

const held = new Map(
  [...LOANWORDS, ...NEIGHBORS].map((each) => [
    each.replaceAll(/[+|]/g, ''),
    each.replaceAll('+', JOINED).replaceAll('|', SEAM),
  ]),
)
const loanwords: ReadonlySet<string> = new Set(LOANWORDS.map((each) => each.replaceAll('+', '')))

const ANY = new RegExp([...held.keys()].join('|'), 'g')

/** Prefixes that belong to the next word. The same letters also end words, such as บริการ and หรือไม่. */
const PREFIX =
  /(?<!บริ|ราย|ต้อง|โครง|จัด)(การ)\u200b?(?=[ก-ฐฑฒด-ฮเ-ไ])|(?<!ข้อ)(ความ)\u200b?(?=[ก-ฮเ-ไ])|(?<!หรือ)(ไม่)\u200b?(?=[ก-ฮเ-ไ])/g

/** A Thai text whose lines break between words. */
export function withThaiLines(text: string): string {
  const words = text.replaceAll(ANY, (word, at: number) => {
    const marked = held.get(word) ?? word
    if (!loanwords.has(word)) return marked
    const before = THAI.test(text.charAt(at - 1)) ? SEAM : ''
    const after = THAI.test(text.charAt(at + word.length)) ? SEAM : ''
    return before + marked + after
  })
  return words.replaceAll(SEAM + SEAM, SEAM).replaceAll(PREFIX, `$1$2$3${JOINED}`)
}
