package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"parley"
	"parley/client"
)

// Stream a reply.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	c := client.New("http://127.0.0.1:8080")
	if _, err := c.Login(ctx, parley.LoginInput{Email: "ada@example.com", Password: "correct horse"}); err != nil {
		log.Fatal(err)
	}
	session, err := c.CreateSession(ctx, parley.CreateSessionInput{Title: "Holiday plans"})
	if err != nil {
		log.Fatal(err)
	}
	stream, err := c.Stream(ctx, parley.SendInput{SessionID: session.SessionID, Content: "Which ferry goes to Capri?"})
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	for event, err := range stream.Events() {
		if err != nil {
			log.Fatal(err)
		}
		switch e := event.(type) {
		case client.Delta:
			fmt.Print(e.Text)
		case client.Restart:
			fmt.Print("\n(once more)\n")
		}
	}
}

// Log in if the account exists.
func ExampleError() {
	ctx := context.Background()
	c := client.New("http://127.0.0.1:8080")

	_, err := c.Register(ctx, parley.RegisterInput{Email: "ada@example.com", Password: "correct horse"})
	if e, ok := errors.AsType[*client.Error](err); ok && e.Code == parley.CodeEmailTaken {
		_, err = c.Login(ctx, parley.LoginInput{Email: "ada@example.com", Password: "correct horse"})
	}
	if err != nil {
		log.Fatal(err)
	}
}
