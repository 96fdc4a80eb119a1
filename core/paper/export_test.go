package paper

// Search is search, which finds the largest load that fits.
var Search = search
