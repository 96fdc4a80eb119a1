// Command worker stands in for the real one: small, and compiled in a moment.
package main

func main() { println("worker") }
