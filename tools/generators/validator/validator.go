// Package validator stands in for gopkg.in/validator.v2, which generated code imports and Go would fetch from GitHub.
package validator

// Validate accepts everything.
func Validate(_ any) error { return nil }
