package main

import (
	"errors"
	"fmt"
	"os"
	"sort"
)

// Item is a product with its count.
type Item struct {
	Name  string
	Count int
	Price float64
}

// Store maps names to items.
type Store map[string]*Item

var ErrMissing = errors.New("item not found")
var ErrStock = errors.New("not enough in stock")

func (s Store) Add(name string, count int, price float64) {
	s[name] = &Item{name, count, price}
}

func (s Store) Remove(name string, count int) error {
	item, ok := s[name]
	if !ok {
		return ErrMissing
	}
	if item.Count < count {
		return ErrStock
	}
	item.Count -= count
	if item.Count == 0 {
		delete(s, name)
	}
	return nil
}

func (s Store) Print() {
	names := make([]string, 0, len(s))
	for name := range s {
		names = append(names, name)
	}
	sort.Strings(names)
	sum := 0.0
	for i, name := range names {
		item := s[name]
		sum += float64(item.Count) * item.Price
		fmt.Printf("%2d %-12s %4d x %.2f\n", i+1, item.Name, item.Count, item.Price)
	}
	fmt.Printf("Total %.2f\n", sum)
}

func main() {
	store := Store{}
	store.Add("apple", 200, 0.35)
	store.Add("bread", 12, 2.8)
	store.Add("cheese", 5, 6.5)
	if err := store.Remove("bread", 12); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err := store.Remove("wine", 1); err != nil {
		fmt.Fprintln(os.Stderr, "wine:", err)
	}
	store.Print()
}
