package api_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain makes sure that no server leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
