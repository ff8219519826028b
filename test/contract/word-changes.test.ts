import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordChanges } from '@public-api/contract/text/word-changes'

/** The pieces with their marks: `[-old-]`, `{+new+}`. */
const marked = (before: string, after: string, locale = 'en'): string =>
  wordChanges(before, after, locale)
    .map(({ kind, text }) =>
      kind === 'same' ? text : kind === 'before' ? `[-${text}-]` : `{+${text}+}`,
    )
    .join('')

test('marks the words that differ', () => {
  assert.equal(
    marked('Install the receiver at the station.', 'Install and test the receiver at the port.'),
    'Install {+and test +}the receiver at the [-station-]{+port+}.',
  )
  assert.equal(marked('One line.', 'One line.'), 'One line.')
  assert.equal(marked('One line.', 'One line. Two.'), 'One line.{+ Two.+}')
})

test('finds the words of Thai and Chinese, which have no spaces', () => {
  assert.equal(marked('安装接收器。', '安装并测试接收器。', 'zh-CN'), '安装{+并测试+}接收器。')
  assert.equal(marked('ติดตั้งเครื่องรับ', 'ติดตั้งและทดสอบเครื่องรับ', 'th'), 'ติดตั้ง{+และทดสอบ+}เครื่องรับ')
})

test('joins changes that only spaces and punctuation separate', () => {
  assert.equal(
    marked('The old red house stands here today.', 'The new, blue house stands here today.'),
    'The [-old red-]{+new, blue+} house stands here today.',
  )
})

test('shows two texts with little in common, or very long ones, whole', () => {
  assert.equal(marked('No.', 'Everything works again.'), '[-No.-]{+Everything works again.+}')
  const long = 'word '.repeat(2000)
  assert.equal(wordChanges(long, `${long}end`, 'en').length, 2)
})

test('the pieces always spell both texts', () => {
  const texts = ['', 'a', 'a b c', 'c b a', 'a, b; c', 'b', 'The end.', 'จบ', '结束。']
  for (const before of texts) {
    for (const after of texts) {
      const pieces = wordChanges(before, after, 'en')
      const spell = (left: string) =>
        pieces
          .filter(({ kind }) => kind !== left)
          .map(({ text }) => text)
          .join('')
      assert.equal(spell('after'), before)
      assert.equal(spell('before'), after)
    }
  }
})
