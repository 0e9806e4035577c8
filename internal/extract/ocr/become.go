package ocr

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Become turns this process into Tesseract, with limits and walls. The arguments are the folder of
// its languages, which may be empty, the path of the program, and the program's arguments. It
// returns only after an error.
func Become(args []string) error {
	if len(args) < 2 {
		return errors.New("the folder of the languages and the program are missing")
	}
	folder, program := args[0], args[1]
	program, err := filepath.EvalSymlinks(program)
	if err != nil {
		return fmt.Errorf("find the program: %w", err)
	}
	environment := []string{"OMP_THREAD_LIMIT=1"} // more threads make a page no faster
	if folder != "" {
		environment = append(environment, "TESSDATA_PREFIX="+folder)
	}
	if err := confine(program, folder); err != nil {
		return fmt.Errorf("confine the process: %w", err)
	}
	if err := replaceProcess(program, args[2:], environment); err != nil {
		return fmt.Errorf("run %s: %w", program, err)
	}
	return nil
}
