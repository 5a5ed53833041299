package main

import "fmt"

const blocked = '#'
const trail = '.'

var moves = [][2]int{{-1, 0}, {0, 1}, {1, 0}, {0, -1}}

type labyrinth struct {
	cells [][]rune
	h, w  int
	dist  [][]int
}

func newLabyrinth(rows []string) *labyrinth {
	l := &labyrinth{h: len(rows), w: len(rows[0])}
	for _, s := range rows {
		l.cells = append(l.cells, []rune(s))
	}
	return l
}

func (l *labyrinth) open(y, x int) bool {
	return y >= 0 && y < l.h && x >= 0 && x < l.w && l.cells[y][x] != blocked
}

func (l *labyrinth) find(symbol rune) [2]int {
	for y := 0; y < l.h; y++ {
		for x := 0; x < l.w; x++ {
			if l.cells[y][x] == symbol {
				return [2]int{y, x}
			}
		}
	}
	panic("symbol is missing")
}

func (l *labyrinth) draw(end [2]int) {
	y := end[0]
	x := end[1]
	for l.dist[y][x] > 1 {
		for _, m := range moves {
			ny := y + m[0]
			nx := x + m[1]
			if l.open(ny, nx) && l.dist[ny][nx] == l.dist[y][x]-1 {
				y = ny
				x = nx
				break
			}
		}
		l.cells[y][x] = trail
	}
}

func (l *labyrinth) search() int {
	l.dist = make([][]int, l.h)
	for y := range l.dist {
		l.dist[y] = make([]int, l.w)
		for x := range l.dist[y] {
			l.dist[y][x] = -1
		}
	}
	begin := l.find('S')
	end := l.find('G')
	pending := [][2]int{begin}
	l.dist[begin[0]][begin[1]] = 0
	for len(pending) > 0 {
		at := pending[0]
		pending = pending[1:]
		if at == end {
			l.draw(end)
			return l.dist[at[0]][at[1]]
		}
		for _, m := range moves {
			y := at[0] + m[0]
			x := at[1] + m[1]
			if l.open(y, x) && l.dist[y][x] < 0 {
				l.dist[y][x] = l.dist[at[0]][at[1]] + 1
				pending = append(pending, [2]int{y, x})
			}
		}
	}
	return -1
}

func main() {
	rows := []string{"#########", "#S  #   #", "# # # # #", "# #   #G#", "#########"}
	l := newLabyrinth(rows)
	n := l.search()
	if n < 0 {
		fmt.Println("Impossible")
	} else {
		fmt.Println("Moves:", n)
		for _, s := range l.cells {
			fmt.Println(string(s))
		}
	}
}
