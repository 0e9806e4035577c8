package api_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain checks that no server leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
