package heatmap

// Pixels is how many pixels a side of the screen has.
var Pixels = pixels
