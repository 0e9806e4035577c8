package connect

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"parley/internal/fsutil"
)

// keyFile has the secret in the data folder, if no setting has it.
const keyFile = "secret.key"

// errKeyLost means that a key was encrypted with another secret.
var errKeyLost = errors.New("the key was stored with another secret")

// keyring encrypts the keys of services (AES-256-GCM). The secret comes from a setting, or from a file in the data
// folder that is made when the first key is stored.
type keyring struct {
	folder string

	mu     sync.Mutex
	secret string // empty until it is known
}

func newKeyring(secret, folder string) *keyring { return &keyring{folder: folder, secret: secret} }

// seal encrypts a key. It can be opened for the same purpose only. Without a key there is nothing to encrypt.
func (k *keyring) seal(key, purpose string) (string, error) {
	if key == "" {
		return "", nil
	}
	gcm, err := k.cipher(true)
	if err != nil {
		return "", fmt.Errorf("encrypt a key: %w", err)
	}
	return base64.StdEncoding.EncodeToString(gcm.Seal(nil, nil, []byte(key), []byte(purpose))), nil
}

// open decrypts a key. It returns errKeyLost if it can't.
func (k *keyring) open(sealed, purpose string) (string, error) {
	if sealed == "" {
		return "", nil
	}
	gcm, err := k.cipher(false)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errKeyLost
	}
	if err != nil {
		return "", fmt.Errorf("decrypt a key: %w", err)
	}
	data, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return "", errKeyLost
	}
	key, err := gcm.Open(nil, nil, data, []byte(purpose))
	if err != nil {
		return "", errKeyLost
	}
	return string(key), nil
}

// cipher returns the cipher, which puts a random nonce before each text. If the file is missing, it is made if create
// is set.
func (k *keyring) cipher(create bool) (cipher.AEAD, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.secret == "" {
		secret, err := readKeyFile(k.folder)
		if create && errors.Is(err, fs.ErrNotExist) {
			secret, err = makeKeyFile(k.folder)
		}
		if err != nil {
			return nil, err
		}
		k.secret = secret
	}
	key, err := hkdf.Key(sha256.New, []byte(k.secret), nil, "parley connections", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func readKeyFile(folder string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, keyFile))
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" {
		return "", fmt.Errorf("%s in %s is empty", keyFile, folder)
	}
	return secret, nil
}

// makeKeyFile writes a new secret for its owner only. If another process was faster, it returns that one's.
func makeKeyFile(folder string) (string, error) {
	secret := rand.Text()
	temp, err := os.CreateTemp(folder, keyFile+".*") // readable by its owner only
	if err != nil {
		return "", err
	}
	defer os.Remove(temp.Name()) //nolint:errcheck // a name that is left over does no harm
	_, err = temp.WriteString(secret + "\n")
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return "", err
	}
	if err := os.Link(temp.Name(), filepath.Join(folder, keyFile)); errors.Is(err, fs.ErrExist) {
		return readKeyFile(folder)
	} else if err != nil {
		return "", err
	}
	return secret, fsutil.Sync(folder)
}
