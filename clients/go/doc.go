// Package publicapi reads a public API that signs every response with Ed25519, and verifies each response: the
// signature, its age, the digest of the bytes, the ETag, and the history of everything published. It needs only the
// standard library.
package publicapi
