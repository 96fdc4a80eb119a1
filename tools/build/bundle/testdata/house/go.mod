module house

go 1.26
