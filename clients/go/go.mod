module publicapi

go 1.19
