package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/testtier"
)

// Memory limits of the server in TestTheLargestUploadsFitTheMemory: Go's own limit, the kernel's limit on data
// (RLIMIT_DATA) and resident memory.
const (
	goLimit       = 64 << 20
	dataLimit     = 384 << 20
	residentLimit = 160 << 20
)

// TestTheLargestUploadsFitTheMemory uploads six files of the largest size and a broken one at once, while a user
// chats. The server would crash if the kernel refused it memory.
func TestTheLargestUploadsFitTheMemory(t *testing.T) {
	testtier.Rare(t)
	t.Parallel()
	files := map[string][]byte{
		"a.txt": largestText(), "b.txt": largestText(), "c.txt": largestUTF16(),
		"d.pdf": largestPDF(), "e.docx": largestDOCX(t), "f.xlsx": largestXLSX(t),
	}
	files["half.docx"] = files["e.docx"][:largest/2]
	settings := []string{"PARLEY_DATA=" + t.TempDir(), "PARLEY_REQUEST_TIMEOUT=1m"} // the disk may be busy
	p := start(t, append(settings, fmt.Sprintf("GOMEMLIMIT=%d", goLimit))...)
	p.limitData(dataLimit)
	ada := p.user("ada")
	sessionID := session(t, ada)
	stop := p.chatter()
	var kept atomic.Int64
	var all sync.WaitGroup
	for name, content := range files {
		all.Go(func() {
			out, err := ada.Upload(t.Context(), sessionID, name, bytes.NewReader(content))
			var failed *client.Error
			switch {
			case err == nil && out.FileSize == int64(len(content)):
				kept.Add(1)
			case errors.As(err, &failed) && failed.Code == parley.CodeUploadFailed && failed.Status == 422 &&
				failed.Message != "":
			default:
				t.Errorf("%s: %+v, %v", name, out, err)
			}
			t.Logf("%s of %d bytes: %v", name, len(content), err)
		})
	}
	all.Wait()
	t.Logf("%d sends meanwhile", stop())
	p.checkMemory()
	p.checkLeft(settings, kept.Load())
}

// limitData sets the kernel's limit on the server's data. The limit of its children stays higher.
func (p *process) limitData(most int) {
	p.t.Helper()
	limit := exec.CommandContext(p.t.Context(), "prlimit", "--pid", strconv.Itoa(p.cmd.Process.Pid),
		fmt.Sprintf("--data=%d:", most))
	if out, err := limit.CombinedOutput(); err != nil {
		p.t.Fatalf("prlimit: %v, %s", err, out)
	}
}

// chatter sends messages without a pause until stop is called. stop returns their number.
func (p *process) chatter() (stop func() int) {
	p.t.Helper()
	bob := p.user("bob")
	sessionID := session(p.t, bob)
	ctx, end := context.WithCancel(p.t.Context())
	sent := 0
	var chatting sync.WaitGroup
	chatting.Go(func() {
		question := parley.SendInput{SessionID: sessionID, Content: "Is anybody there?"}
		for ; ctx.Err() == nil; sent++ {
			if _, err := bob.Send(p.t.Context(), question); err != nil {
				p.t.Error(err)
				return
			}
		}
	})
	stop = func() int {
		end()
		chatting.Wait()
		return sent
	}
	p.t.Cleanup(func() { stop() })
	return stop
}

var mostResident = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`)

// checkMemory checks that the server stayed within its limits.
func (p *process) checkMemory() {
	p.t.Helper()
	resident := p.resident()
	figures := p.ask("/metrics").body
	if limit := metric(p.t, figures, "go_gc_gomemlimit_bytes"); limit != goLimit {
		p.t.Errorf("Go's limit is %v, not what was set", limit)
	}
	gos := metric(p.t, figures, "go_memstats_sys_bytes") - metric(p.t, figures, "go_memstats_heap_released_bytes")
	if gos > goLimit || resident > residentLimit {
		p.t.Errorf("Go has %.0f bytes, and %d were resident", gos, resident)
	}
	p.t.Logf("Go has %.0f MB; %d MB were resident at most", gos/1e6, resident/1e6)
}

// resident returns the peak resident memory of the program, in bytes.
func (p *process) resident() int {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	must(p.t, err)
	figure := mostResident.FindSubmatch(status)
	if figure == nil {
		p.t.Fatalf("no figure in %s", status)
	}
	kilobytes, err := strconv.Atoi(string(figure[1]))
	must(p.t, err)
	return kilobytes << 10
}

func metric(t *testing.T, figures, name string) float64 {
	t.Helper()
	_, rest, found := strings.Cut(figures, "\n"+name+" ")
	line, _, _ := strings.Cut(rest, "\n")
	value, err := strconv.ParseFloat(line, 64)
	if !found || err != nil {
		t.Fatalf("there is no figure %s: %v", name, err)
	}
	return value
}

// checkLeft checks that only the accepted uploads are stored.
func (p *process) checkLeft(settings []string, kept int64) {
	p.t.Helper()
	data := strings.TrimPrefix(settings[0], "PARLEY_DATA=")
	if left := storedFiles(p.t, data); left != 3*kept { // bytes, text, index
		p.t.Errorf("%d files were accepted, and %d are in the folder", kept, left)
	}
	if out := works(p.t, settings, "doctor"); strings.Contains(out, "problem") {
		p.t.Errorf("the doctor says\n%s", out)
	}
}

// storedFiles counts the files in the folder of documents, including partial ones.
func storedFiles(t *testing.T, data string) (n int64) {
	t.Helper()
	must(t, filepath.WalkDir(filepath.Join(data, "files"), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // moved during the walk
			return nil
		}
		if err == nil && entry.Type().IsRegular() {
			n++
		}
		return err
	}))
	return n
}

func TestAnUploadWhoseClientIsGoneLeavesNothing(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	settings := []string{"PARLEY_DATA=" + data}
	p := start(t, settings...)
	ada := p.user("ada")
	sessionID := session(t, ada)
	body := "--b\r\nContent-Disposition: form-data; name=\"session_id\"\r\n\r\n" + sessionID +
		"\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n" + strings.Repeat(
		"half of it ", 10_000)
	client := p.connect(1, fmt.Sprintf("POST /api/files/upload HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: %d\r\n\r\n%s", ada.Token(), 2*len(body), body))[0]
	until(t, "the upload is under way", func() bool { return storedFiles(t, data) == 1 })
	client.Close()
	until(t, "nothing is left of it", func() bool { return storedFiles(t, data) == 0 })
	out, err := ada.Files(t.Context(), sessionID)
	if err != nil || len(out.Files) != 0 {
		t.Errorf("the session has %+v, %v", out, err)
	}
	p.checkLeft(settings, 0)
}

// TestThePDFEngineIsCompiledAhead starts a server on an empty folder and uploads nothing.
func TestThePDFEngineIsCompiledAhead(t *testing.T) {
	testtier.Rare(t)
	t.Parallel()
	_, settings := model(t)
	data := t.TempDir()
	must(t, os.Mkdir(filepath.Join(data, "cache"), 0o700)) // not the cache of other tests
	start(t, append(settings, "PARLEY_DATA="+data)...)
	until(t, "the compiled engine is in the cache", func() bool {
		found, err := filepath.Glob(filepath.Join(data, "cache", "wazero*", "*"))
		must(t, err)
		return len(found) > 0 && !strings.HasSuffix(found[0], ".tmp")
	})
}
