module a/b

go 1.22

require (
	x.org/y v1.2.3 // indirect
	z v0.0.0-2024-abc
)
replace x.org/y => ../y
exclude q v1
