package publicapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	publicapi "github.com/example/public-api-server/clients/go"
)

// A cache that sends 304 by itself keeps a stored response only while its signature would still pass.
func TestAClockThatWasSetBackRenewsNothing(t *testing.T) {
	service := signing(nil)
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		if request.Header.Get("If-None-Match") != "" {
			response.WriteHeader(http.StatusNotModified)
			return
		}
		service.ServeHTTP(response, request)
	}))
	defer server.Close()
	ahead := time.Duration(0)
	client, err := publicapi.NewClient(publicapi.Options{
		BaseURL: server.URL, PinnedKeyIDs: pins, Now: func() time.Time { return time.Now().Add(ahead) },
	})
	if err != nil {
		t.Fatal(err)
	}
	first, err := client.Status(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, ahead = range []time.Duration{800 * time.Second, -30 * time.Second} {
		if again, err := client.Status(context.Background()); err != nil || again.ProvedAt != first.ProvedAt {
			t.Errorf("%v: expected the stored response, found %+v, %v", ahead, again, err)
		}
	}
	ahead = -2 * time.Minute
	_, err = client.Status(context.Background())
	var failure *publicapi.VerificationError
	if !errors.As(err, &failure) || failure.Code != "FUTURE" || !strings.Contains(err.Error(), "ahead of this clock") {
		t.Errorf("expected FUTURE, found %v", err)
	}
}
