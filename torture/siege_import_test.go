package torture

import (
	"archive/zip"
	"bytes"
	"context"
	little "encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/extract/history/historytest"
)

// TestSiegeOfPackedImports has nine users begin imports and leave. All entries of their archives are the same large
// bytes. Another user's small text is read meanwhile.
func TestSiegeOfPackedImports(t *testing.T) {
	eachGreed(t, func(t *testing.T, databaseURL string) {
		b := besiege(t, databaseURL, []string{"PARLEY_REQUEST_TIMEOUT=10s"})
		archive := overlappingZip(t, 160, siegeSize(t, 200, 20)<<20)
		bob := b.visitor("bob", visitorAddress)
		session, err := bob.client.CreateSession(t.Context(), parley.CreateSessionInput{})
		must(t, err)
		check := b.watchMemory()
		b.begin(9, func(i int, placed func()) {
			b.leaveImport(fmt.Sprint("user", i), archive)
			placed()
			<-b.attack.Done()
		})
		for i := range siegeSize(t, 10, 2) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			_, err := bob.client.Upload(ctx, session.SessionID, fmt.Sprintf("%d.txt", i), strings.NewReader("The ferry."))
			cancel()
			bob.wants("a small text is read", err)
		}
		check("imports of overlapping archives")
		b.report()
	})
}

// leaveImport registers a user, who sends an import and leaves when all of it is sent.
func (b *besieged) leaveImport(name string, archive []byte) {
	user := b.visitor(name, attackerAddress)
	conn, closeConn, err := b.dial(attackerAddress)
	if err != nil {
		return
	}
	defer closeConn()
	header, form := importForm(user.client.Token(), archive, len(archive))
	_, err = io.WriteString(conn, header)
	if err == nil {
		_, err = conn.Write(form)
	}
	b.count("an attacker sends an import", result(err))
}

// importForm returns the header of a request that imports a file of a size, and its body with the beginning of the
// file.
func importForm(token string, beginning []byte, size int) (header string, body []byte) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_, _ = w.CreateFormFile("file", "export.zip") // a buffer takes all
	form.Write(beginning)
	rest := size - len(beginning)
	// While the epilogue is not read, net/http does not notice that the client has left.
	end := fmt.Sprintf("\r\n--%s--\r\n%s", w.Boundary(), strings.Repeat("\r\n", 4096))
	if rest == 0 {
		form.WriteString(end)
	} else {
		rest += len(end)
	}
	return fmt.Sprintf("POST /api/import HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\n"+
		"Content-Length: %d\r\n\r\n", token, w.FormDataContentType(), form.Len()+rest), form.Bytes()
}

// overlappingZip returns an archive with many entries that are all the same bytes: an empty array of a size.
func overlappingZip(t *testing.T, entries, size int) []byte {
	t.Helper()
	var one bytes.Buffer
	archive := zip.NewWriter(&one)
	part, err := archive.Create("conversations.json")
	must(t, err)
	random := rand.New(rand.NewPCG(1, 1)) // an archive packed too well is refused
	block := bytes.Repeat([]byte(" "), 1<<20)
	for i := 0; i < len(block); i += 1 + random.IntN(100) {
		block[i] = '\n'
	}
	_, err = part.Write(slices.Concat([]byte("["), bytes.Repeat(block, size/len(block)), []byte("]")))
	must(t, err)
	must(t, archive.Close())
	const endSize = 22 // of the record at the end
	whole := one.Bytes()
	end := bytes.Clone(whole[len(whole)-endSize:])
	directory := whole[little.LittleEndian.Uint32(end[16:]) : len(whole)-endSize]
	little.LittleEndian.PutUint16(end[8:], uint16(entries))
	little.LittleEndian.PutUint16(end[10:], uint16(entries))
	little.LittleEndian.PutUint32(end[12:], uint32(entries*len(directory)))
	many := append(bytes.Clone(whole[:len(whole)-endSize-len(directory)]), bytes.Repeat(directory, entries)...)
	return append(many, end...)
}

// TestSiegeOfSlowImports has sixteen users send imports of 100 MB at 6 KiB per second. Another user's import is taken.
func TestSiegeOfSlowImports(t *testing.T) {
	eachGreed(t, func(t *testing.T, databaseURL string) {
		b := besiege(t, databaseURL, nil)
		bob := b.visitor("bob", visitorAddress)
		check := b.watchMemory()
		users := make([]*visitor, 16)
		for i := range users {
			users[i] = b.visitor(fmt.Sprint("user", i), attackerAddress)
		}
		b.begin(len(users), func(i int, placed func()) { b.sendSlowly(users[i].client.Token(), placed) })
		time.Sleep(settle) // for the last one
		for i := range siegeSize(t, 5, 1) {
			file := historytest.ChatGPTZip(historytest.Conversation{
				ID: fmt.Sprint(i), Title: "Ferries", At: time.Unix(1_700_000_000, 0), Texts: []string{"Which?", "The first."},
			})
			started, err := bob.client.StartImport(t.Context(), "export.zip", bytes.NewReader(file))
			bob.wants("an import is taken", err)
			for state := ""; err == nil && state != parley.ImportDone; {
				var now parley.Import
				if now, err = bob.client.Import(t.Context(), started.ImportID); err == nil && now.State == parley.ImportFailed {
					t.Fatalf("the import has failed: %+v", now)
				}
				state = now.State
				time.Sleep(importPoll)
			}
			bob.wants("an import is done", err)
		}
		check("slow imports")
		b.report()
	})
}

// sendSlowly sends an import at 6 KiB per second until the server closes the connection or the attack ends.
func (b *besieged) sendSlowly(token string, placed func()) {
	conn, closeConn, err := b.dial(attackerAddress)
	if err != nil {
		return
	}
	defer closeConn()
	header, form := importForm(token, make([]byte, 6<<10), 100<<20)
	_, err = io.WriteString(conn, header+string(form))
	placed()
	for err == nil {
		select {
		case <-b.attack.Done():
			return
		case <-time.After(time.Second):
			_, err = conn.Write(make([]byte, 6<<10))
		}
	}
	b.count("a slow sender", "closed by the server")
}
