module github.com/example/public-api-server/clients/go

go 1.19
