package listen

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpassay/mcpassay/internal/limits"
	"github.com/mcpassay/mcpassay/internal/model/wire"
)

// answering opens a door; end ends it and waits.
func answering(t *testing.T, o Options) (url string, end func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	o.Admit = func(*wire.Asked) *wire.Answer { return nil }
	d, err := Open(ctx, "127.0.0.1:0", o)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- d.Serve(ctx) }()
	end = func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return "http://" + d.Address().String() + "/", end
}

func streaming(follow func(ctx context.Context, write func([]byte) error) error) wire.Handler {
	return func(context.Context, *wire.Asked) *wire.Answer {
		return &wire.Answer{Status: 200, Header: [][2]string{{"content-type", wire.MediaEvents}}, Body: [][]byte{[]byte("first ")}, Follow: follow}
	}
}

// Each piece is with the caller before the next is made, and what ends well ends well.
func TestAnAnswerThatLastsComesPieceByPiece(t *testing.T) {
	t.Parallel()
	got := make(chan string)
	url, end := answering(t, Options{Limits: limits.Default, Handle: streaming(func(_ context.Context, write func([]byte) error) error {
		for _, piece := range []string{"second ", "third"} {
			if err := write([]byte(piece)); err != nil {
				return err
			}
			if s := <-got; s != piece {
				return errors.New("the caller has " + s)
			}
		}
		return nil
	})})
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.Header.Get("Content-Length") != "" {
		t.Error("it has a length")
	}
	first := make([]byte, len("first "))
	if _, err := io.ReadFull(resp.Body, first); err != nil {
		t.Fatal(err)
	}
	for _, piece := range []string{"second ", "third"} {
		b := make([]byte, len(piece))
		if _, err := io.ReadFull(resp.Body, b); err != nil {
			t.Fatal(err)
		}
		got <- string(b)
	}
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
	end()
}

func TestAnAnswerThatFailsIsBrokenOff(t *testing.T) {
	t.Parallel()
	url, _ := answering(t, Options{Limits: limits.Default, Handle: streaming(func(context.Context, func([]byte) error) error { return errors.New("gone") })})
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("%q looks whole", text)
	}
}

// A stream ends with its caller, with the door, and when nobody reads it for too long.
func TestAnAnswerThatLastsIsNotForEver(t *testing.T) {
	t.Parallel()
	for _, why := range []string{"the caller goes", "the door closes", "the caller reads nothing"} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			lim := limits.Default
			if why == "the caller reads nothing" {
				lim.ServeStall = 50 * time.Millisecond
			}
			ended := make(chan error, 1)
			url, end := answering(t, Options{Limits: lim, Handle: streaming(func(ctx context.Context, write func([]byte) error) error {
				if why != "the caller reads nothing" {
					<-ctx.Done()
					ended <- ctx.Err()
					return ctx.Err()
				}
				for {
					if err := write(make([]byte, limits.MiB)); err != nil {
						ended <- err
						return err
					}
				}
			})})
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			switch why {
			case "the caller goes":
				leave()
			case "the door closes":
				end()
			}
			select {
			case <-ended:
			case <-time.After(30 * time.Second):
				t.Error("it lasts")
			}
		})
	}
}

// Who is told of a body over the limit can read all of it.
func TestABodyOverTheLimitIsGivenOnToWhoAsksForIt(t *testing.T) {
	t.Parallel()
	lim := limits.Default
	lim.AskedBytes = 1000
	url, _ := answering(t, Options{Limits: lim,
		Handle: func(_ context.Context, r *wire.Asked) *wire.Answer { return wire.JSON(200, r.Body) },
		Over: func(r *wire.Asked, begun []byte, rest io.Reader) *wire.Answer {
			text, err := io.ReadAll(rest)
			if err != nil || !r.Cut {
				t.Error(err)
			}
			return wire.JSON(413, []byte(string(begun)+string(text)))
		}})
	for size, status := range map[int]int{1000: 200, 1001: 413, 200_000: 413} {
		for _, known := range []bool{true, false} {
			body := strings.Repeat("x", size-1) + "!"
			var in io.Reader = strings.NewReader(body)
			if !known { // the length is not said beforehand
				in = io.MultiReader(in)
			}
			resp, err := http.Post(url, "text/plain", in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != status || string(got) != body {
				t.Errorf("%d bytes, known %v: %d, %d bytes, %v", size, known, resp.StatusCode, len(got), err)
			}
		}
	}
}
