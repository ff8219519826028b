import { testSwaps } from './swaps-behaviour.ts'

testSwaps(100)
