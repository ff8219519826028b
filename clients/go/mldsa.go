//go:build go1.27

package publicapi

import "crypto/mldsa"

func init() {
	importMLDSA44 = func(public []byte) func(message, signature []byte) bool {
		// Refused only by a module of FIPS 140-3 that lacks the algorithm: every 1,312 bytes are a key.
		key, err := mldsa.NewPublicKey(mldsa.MLDSA44(), public)
		if err != nil {
			return nil
		}
		return func(message, signature []byte) bool {
			return mldsa.Verify(key, message, signature, nil) == nil
		}
	}
}
