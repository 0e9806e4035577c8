package backup

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"parley/internal/db"
	"parley/internal/id"
	"parley/internal/store"
)

// entry is one file of an archive.
type entry struct {
	tar.Header
	body []byte
}

// read returns the entries of an archive.
func read(t testing.TB, file string) []entry {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry{*header, body})
	}
}

// build returns an archive of the entries. If the last one is SHA256SUMS, it is computed.
func build(t testing.TB, entries []entry) []byte {
	t.Helper()
	var out, sums bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		if e.Name == sumsName {
			e.body = sums.Bytes()
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(e.body), e.Name)
		e.Size, e.Format = int64(len(e.body)), tar.FormatUnknown
		if err := w.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func plain(name, body string) entry {
	return entry{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600}, []byte(body)}
}

// about changes the description of an archive.
func about(t testing.TB, e entry, change func(*About)) entry {
	t.Helper()
	var a About
	if err := json.Unmarshal(e.body, &a); err != nil {
		t.Fatal(err)
	}
	change(&a)
	body, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return plain(aboutName, string(body))
}

// database changes the database of an archive.
func database(t testing.TB, e entry, statement string) entry {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(path, e.body, 0o600); err != nil {
		t.Fatal(err)
	}
	pool, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return plain(db.SQLiteFile, string(body))
}

// sparse returns an entry of a few bytes that claims to be a hole of a terabyte. The writer
// of the standard library can't write one.
func sparse(name string) []byte {
	const size = "1099511627776"
	var records string
	for _, record := range []string{
		"GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.realsize=" + size, "GNU.sparse.name=" + name,
	} {
		records += fmt.Sprintf("%d %s\n", len(record)+4, record)
	}
	return append(block(name, 'x', records), block(name, '0', "1\n"+size+"\n0\n"+strings.Repeat("\x00", 494))...)
}

// block returns the bytes of an entry: a header with its checksum and a padded body.
func block(name string, kind byte, body string) []byte {
	header := make([]byte, 512)
	copy(header, name)
	copy(header[100:], "0000600\x000000000\x000000000\x00")
	copy(header[124:], fmt.Sprintf("%011o\x0000000000000\x00        ", len(body)))
	header[156] = kind
	copy(header[257:], "ustar\x0000")
	sum := 0
	for _, b := range header {
		sum += int(b)
	}
	copy(header[148:], fmt.Sprintf("%06o\x00 ", sum))
	return append(append(header, body...), make([]byte, (512-len(body)%512)%512)...)
}

func TestAnArchiveThatIsNotOursChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.document("something")
	good := read(t, w.archive()) // about, database, bytes, index, text, sums
	with := func(at int, replace ...entry) []byte {
		return build(t, append(append(append([]entry{}, good[:at]...), replace...), good[min(at+1, len(good)):]...))
	}
	before := func(at int, more ...entry) []byte { return with(at, append(more, good[at])...) }
	open := func(end int) []byte { return bytes.TrimSuffix(build(t, good[:end]), make([]byte, 1024)) }
	flipped := func(at int) []byte {
		all := build(t, good)
		i := bytes.Index(all, good[at].body)
		all[i+len(good[at].body)/2] ^= 1
		return all
	}
	header := build(t, good)
	header[bytes.Index(header, []byte(good[2].Name))] ^= 1
	stranger := id.New()
	place := filesDir + "/" + stranger[34:] + "/" + stranger
	link := plain(place, "")
	link.Typeflag, link.Linkname = tar.TypeSymlink, "/etc/passwd"
	hard := link
	hard.Typeflag, hard.Linkname = tar.TypeLink, db.SQLiteFile
	folder := plain(filesDir+"/", "")
	folder.Typeflag = tar.TypeDir
	twice := append(append([]entry{}, good[:5]...), good[4:]...)
	const trigger = `CREATE TRIGGER x AFTER INSERT ON users BEGIN DELETE FROM users; END`
	says := map[string]string{
		"a text": "not an archive", "another tar": "not an archive",
		"no end": "cut off", "half": "cut off", "all but a byte": "cut off",
		"a flipped database": "damaged", "a flipped document": "damaged", "a flipped header": "damaged",
		"a newer schema": "newer release", "no format": "claims format 0",
		"documents below none": "not an archive that parley backup has written: it claims format 1, schema ",
		"documents beyond all": "its database has 1 documents, not 9223372036854775807",
	}
	for name, archive := range map[string][]byte{
		"nothing":                nil,
		"a text":                 []byte(strings.Repeat("no archive\n", 200)),
		"another tar":            build(t, []entry{plain("etc/passwd", "root")}),
		"no end":                 build(t, good[:5]),
		"half":                   build(t, good)[:20_000],
		"all but a byte":         build(t, good)[:len(build(t, good))-1],
		"a flipped header":       header,
		"a flipped about":        flipped(0),
		"a flipped database":     flipped(1),
		"a flipped document":     flipped(2),
		"a newer format":         with(0, about(t, good[0], func(a *About) { a.Format++ })),
		"a newer schema":         with(0, about(t, good[0], func(a *About) { a.Schema = store.Schema() + 1 })),
		"another schema":         with(0, about(t, good[0], func(a *About) { a.Schema-- })),
		"no format":              with(0, about(t, good[0], func(a *About) { a.Format = 0 })),
		"a schema below none":    with(0, about(t, good[0], func(a *About) { a.Schema = -1 })),
		"documents below none":   with(0, about(t, good[0], func(a *About) { a.Documents = -5 })),
		"documents beyond all":   with(0, about(t, good[0], func(a *About) { a.Documents = math.MaxInt64 })),
		"no database":            with(1),
		"a broken database":      with(1, plain(db.SQLiteFile, strings.Repeat("SQLite format 3\x00", 1000))),
		"an empty database":      with(1, plain(db.SQLiteFile, "")),
		"a trigger":              with(1, database(t, good[1], trigger)),
		"a reference to nothing": with(1, database(t, good[1], `UPDATE files SET session_id = 'x'`)),
		"an odd document":        with(1, database(t, good[1], `UPDATE files SET id = '../../x'`)),
		"a file of no document":  before(2, plain(filesDir+"/00/00000000-0000-7000-8000-000000000000", "x")),
		"a way out":              before(2, plain(filesDir+"/../../"+stranger, "x")),
		"another way out":        before(2, plain("../"+stranger, "x")),
		"an absolute name":       before(2, plain("/tmp/"+stranger, "x")),
		"a wrong folder":         before(2, plain(filesDir+"/zz/"+stranger, "x")),
		"a link":                 before(5, link),
		"a hard link":            before(5, hard),
		"a folder":               before(2, folder),
		"a file twice":           build(t, twice),
		"a bomb":                 append(open(2), sparse(filesDir+"/00/00000000-0000-7000-8000-000000000000")...),
		"something behind":       with(6, plain("more", "x")),
	} {
		file, data := filepath.Join(t.TempDir(), "archive"), t.TempDir()
		w.must(os.WriteFile(file, archive, 0o600))
		if report, err := restoreInto(t, data, file, true); err == nil {
			t.Errorf("%s: restored %+v", name, report)
		} else if names := left(t, data); len(names) != 0 {
			t.Errorf("%s: left are %v", name, names)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: it says more than a line: %v", name, err)
		} else if says[name] != "" && !strings.Contains(err.Error(), says[name]) {
			t.Errorf("%s: %v", name, err)
		}
	}
	file := filepath.Join(t.TempDir(), "archive")
	w.must(os.WriteFile(file, build(t, good), 0o600))
	if _, err := restoreInto(t, t.TempDir(), file, false); err != nil {
		t.Errorf("the good one: %v", err)
	}
}

func FuzzArchive(f *testing.F) {
	const key = "01a1dda1-d20b-76e9-942e-a5b3830887f0"
	good := []entry{
		plain(aboutName, `{"format":1,"schema":1}`), plain(db.SQLiteFile, "x"),
		plain(filesDir+"/f0/"+key, "x"), plain(sumsName, ""),
	}
	f.Add(build(f, good))
	f.Add(build(f, good)[:1500])
	f.Add(append(bytes.TrimSuffix(build(f, good[:2]), make([]byte, 1024)), sparse("files/x")...))
	f.Fuzz(func(t *testing.T, archive []byte) {
		r := newReader(bytes.NewReader(archive), int64(len(archive)))
		if _, err := r.about(); err != nil {
			return
		}
		var taken int64
		for {
			name, _, err := r.next()
			if err != nil {
				break
			}
			if name == sumsName {
				_ = r.checkSums()
				break
			}
			var body bytes.Buffer
			if r.copyTo(&body, name) != nil {
				break
			}
			taken += int64(body.Len())
		}
		if taken > int64(len(archive)) {
			t.Errorf("%d bytes came out of %d", taken, len(archive))
		}
	})
}
