package publicapi_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	publicapi "github.com/example/public-api-server/clients/go"
)

// A server that sends a byte now and then must not make a request endless, however it is encrypted and framed.
func TestABodyOverTLSThatNeverEnds(t *testing.T) {
	for _, isHTTP2 := range []bool{false, true} {
		closed := make(chan struct{}, 1)
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			for request.Context().Err() == nil {
				io.WriteString(response, " ")
				response.(http.Flusher).Flush()
				time.Sleep(20 * time.Millisecond)
			}
			closed <- struct{}{}
		}))
		server.EnableHTTP2 = isHTTP2
		server.StartTLS()
		client, err := publicapi.NewClient(publicapi.Options{
			BaseURL: server.URL, Base: server.Client().Transport, Timeout: 500 * time.Millisecond, MaxRetries: -1,
		})
		if err != nil {
			t.Fatal(err)
		}
		var lost *publicapi.ConnectionError
		_, err = client.GetUnverified(context.Background(), "/", "")
		if !errors.As(err, &lost) || lost.Final || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("HTTP/2 %v: expected a ConnectionError of a deadline, found %v", isHTTP2, err)
		}
		<-closed
		server.Close()
	}
}
