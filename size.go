package parley

import (
	"fmt"
	"strings"
)

// FormatSize returns a number of bytes for people, such as 900 B, 1.2 KiB or 20 MiB.
func FormatSize(bytes int64) string {
	const unit = 1024
	if bytes < unit {
		return fmt.Sprintf("%d B", bytes)
	}
	value, units := float64(bytes)/unit, "KMGTPE"
	for value >= unit {
		value, units = value/unit, units[1:]
	}
	return fmt.Sprintf("%s %ciB", strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0"), units[0])
}
