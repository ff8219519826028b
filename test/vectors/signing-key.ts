import { createPrivateKey, type KeyObject } from 'node:crypto'

/** The key pair of RFC 8032 section 7.1 test 1: public on purpose, so that vectors are the same on every machine. */
export const TEST_SIGNING_KEY: KeyObject = createPrivateKey({
  key: {
    kty: 'OKP',
    crv: 'Ed25519',
    d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  },
  format: 'jwk',
})

/** The key pair of RFC 8032 section 7.1 test 2, for what another key signed. */
export const OTHER_TEST_SIGNING_KEY: KeyObject = createPrivateKey({
  key: {
    kty: 'OKP',
    crv: 'Ed25519',
    d: 'TM0Imyj_ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U-4pvs',
    x: 'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw',
  },
  format: 'jwk',
})
