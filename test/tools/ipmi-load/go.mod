module groundcrew/test/tools/ipmi-load

go 1.26.0
