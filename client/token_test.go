package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"parley"
	"parley/client"
)

func TestLoginAndRegisterKeepTheToken(t *testing.T) {
	c, got := responding(t, http.StatusOK, success(`{"token":"fresh"}`))
	if _, err := c.Login(t.Context(), parley.LoginInput{}); err != nil {
		t.Fatal(err)
	}
	if c.Token() != "fresh" {
		t.Errorf("token after login is %q", c.Token())
	}
	c = c.WithToken("")
	if _, err := c.Register(t.Context(), parley.RegisterInput{}); err != nil {
		t.Fatal(err)
	}
	if values := got.Header.Values("Authorization"); values != nil {
		t.Errorf("without a token the header is %q", values)
	}
	if err := c.Logout(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := got.Header.Get("Authorization"); a != "Bearer fresh" {
		t.Errorf("Authorization after register is %q", a)
	}
}

func TestAFailedLoginLeavesTheTokenAlone(t *testing.T) {
	c, _ := responding(t, http.StatusUnauthorized, `{"error":1003,"message":"wrong password","success":false}`)
	if _, err := c.Login(t.Context(), parley.LoginInput{}); err == nil {
		t.Fatal("the login succeeded")
	}
	if c.Token() != "secret" {
		t.Errorf("token is %q", c.Token())
	}
}

func TestWithTokenGivesACopy(t *testing.T) {
	c, _ := responding(t, http.StatusOK, success(`{"token":"fresh"}`))
	other := c.WithToken("other")
	if _, err := other.Login(t.Context(), parley.LoginInput{}); err != nil {
		t.Fatal(err)
	}
	if c.Token() != "secret" || other.Token() != "fresh" {
		t.Errorf("tokens are %q and %q", c.Token(), other.Token())
	}
}

func TestTheLanguageIsSentAndKept(t *testing.T) {
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Accept-Language"))
		fmt.Fprint(w, success(`{}`))
	}))
	defer server.Close()
	plain, chinese := client.New(server.URL), client.New(server.URL, client.WithLanguage("zh"))
	for _, c := range []*client.Client{plain, chinese, chinese.WithToken("other")} {
		if _, err := c.User(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"", "zh", "zh"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOneClientServesManyGoroutines(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, success(`{"token":"`+r.Header.Get("Authorization")+`"}`))
	})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := c.Login(t.Context(), parley.LoginInput{}); err != nil {
				t.Error(err)
			}
			_ = c.Token()
		})
	}
	group.Wait()
}

func TestWithoutAnHTTPClientThereIsAUsualOne(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		fmt.Fprint(w, success(""))
	}))
	defer server.Close()
	if err := client.New(server.URL).Logout(t.Context()); err != nil {
		t.Error(err)
	}
}
