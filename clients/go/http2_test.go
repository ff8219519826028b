package publicapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	publicapi "github.com/example/public-api-server/clients/go"
)

func TestHTTP2(t *testing.T) {
	protocol := ""
	handler := signing(nil)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		protocol = request.Proto
		handler.ServeHTTP(response, request)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	client, err := publicapi.NewClient(publicapi.Options{
		BaseURL: server.URL, PinnedKeyIDs: pins, Base: server.Client().Transport,
	})
	if err != nil {
		t.Fatal(err)
	}
	status, err := client.Status(context.Background())
	if err != nil || status.Data.State != "operational" || protocol != "HTTP/2.0" {
		t.Errorf("found %+v over %s, %v", status, protocol, err)
	}
}
