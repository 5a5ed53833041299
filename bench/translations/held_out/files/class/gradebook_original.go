package main

import (
	"fmt"
	"sort"
)

const passMark = 50.0
const bonusLimit = 95.0

type Student struct {
	Name    string
	Marks   []float64
	Absent  int
	Average float64
}

type Gradebook struct {
	Students []*Student
	Weights  []float64
}

func (g *Gradebook) AddStudent(name string, marks []float64, absent int) {
	student := &Student{Name: name, Marks: marks, Absent: absent}
	g.Students = append(g.Students, student)
}

func (g *Gradebook) weightedAverage(student *Student) float64 {
	total := 0.0
	weights := 0.0
	for i, mark := range student.Marks {
		total += mark * g.Weights[i]
		weights += g.Weights[i]
	}
	if weights == 0 {
		return 0
	}
	average := total / weights
	if student.Absent > 5 {
		average -= 2.5 * float64(student.Absent-5)
	}
	if average > bonusLimit {
		average += 1.5
	}
	return average
}

func letterGrade(average float64) string {
	if average >= 85 {
		return "A"
	}
	if average >= 72 {
		return "B"
	}
	if average >= 60 {
		return "C"
	}
	if average >= passMark {
		return "D"
	}
	return "F"
}

func (g *Gradebook) Compute() {
	for _, student := range g.Students {
		student.Average = g.weightedAverage(student)
	}
	sort.Slice(g.Students, func(i, j int) bool {
		return g.Students[i].Average > g.Students[j].Average
	})
}

func (g *Gradebook) Histogram() map[string]int {
	histogram := map[string]int{}
	for _, student := range g.Students {
		histogram[letterGrade(student.Average)]++
	}
	return histogram
}

func (g *Gradebook) Failed() []string {
	failed := []string{}
	for _, student := range g.Students {
		if student.Average < passMark {
			failed = append(failed, student.Name)
		}
	}
	return failed
}

func main() {
	book := Gradebook{Weights: []float64{0.2, 0.3, 0.5}}
	book.AddStudent("Amelie", []float64{92, 97, 99}, 0)
	book.AddStudent("Boris", []float64{45, 61, 38}, 7)
	book.AddStudent("Chen", []float64{70, 66, 81}, 2)
	book.AddStudent("Dana", []float64{55, 48, 59}, 6)
	book.Compute()
	for place, student := range book.Students {
		fmt.Printf("%d. %s %.1f %s\n", place+1, student.Name, student.Average, letterGrade(student.Average))
	}
	fmt.Println("Failed:", book.Failed())
	fmt.Println("Histogram:", book.Histogram())
}
