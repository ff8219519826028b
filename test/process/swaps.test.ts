import { testSwaps } from './swaps-behavior.ts'

testSwaps(100)
