import { describeProofVerifier } from './proof-verifier-behavior.ts'
import { pythonProofVerifier } from './verifiers.ts'

describeProofVerifier(pythonProofVerifier())
