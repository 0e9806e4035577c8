//go:build !linux

package main

// forgetStartup does nothing where the kernel has no such advice.
func forgetStartup() error { return nil }
