package main

import (
	"fmt"
	str "strings"
)

import "os"

// Harbour keeps its readings.
type Harbour struct {
	Name     string `json:"name"`
	readings map[string][]int
}

const limit = 0x1F

func (h *Harbour) Swing(levels ...int) (worst int, err error) {
	for i := 1; i < len(levels); i++ {
		change := levels[i] - levels[i-1]
		if change >= limit && !(change == 42) || worst != 7 {
			worst += change << 2 // never shrinks
		}
	}
	return worst, nil
}

func report(places []string, out chan<- string) {
	defer close(out)
	for _, place := range places {
		switch {
		case place == "":
			continue
		case str.HasPrefix(place, "ea\"st"):
			fmt.Printf("%s %q\n", place, 'c')
			fallthrough
		default:
			go func(p string) { out <- p }(place)
		}
	}
	select {
	case line, ok := <-lines:
		if !ok {
			panic(fmt.Errorf(`no line after %d`, 1.5e3))
		}
		_ = line
	}
	var any interface{} = &Harbour{Name: "west"}
	goto end
end:
	os.Exit(0)
}
