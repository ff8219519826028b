package publicapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	publicapi "github.com/example/public-api-server/clients/go"
)

func TestTheKeyDocumentIsLoadedEachDayWithoutPins(t *testing.T) {
	for _, pinned := range []bool{false, true} {
		documents, isAway := 0, false
		service := signing(nil)
		server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			if request.URL.Path == "/api/v1/keys/signing-key" {
				documents++
				if isAway {
					http.Error(response, "away", http.StatusNotFound)
					return
				}
			}
			service.ServeHTTP(response, request)
		}))
		defer server.Close()
		ahead := time.Duration(0)
		options := publicapi.Options{
			BaseURL: server.URL, MaxAge: 100 * time.Hour, Now: func() time.Time { return time.Now().Add(ahead) },
		}
		if pinned {
			options.PinnedKeyIDs = pins
		}
		client, err := publicapi.NewClient(options)
		if err != nil {
			t.Fatal(err)
		}
		var counts []int
		for _, ahead = range []time.Duration{0, 23 * time.Hour, 25 * time.Hour, 50 * time.Hour} {
			isAway = ahead > 30*time.Hour
			if _, err := client.Status(context.Background()); err != nil {
				t.Fatal(err)
			}
			counts = append(counts, documents)
		}
		want := []int{1, 1, 2, 3}
		if pinned {
			want = []int{1, 1, 1, 1}
		}
		if !reflect.DeepEqual(counts, want) {
			t.Errorf("pinned %v: expected %v documents, found %v", pinned, want, counts)
		}
	}
}
