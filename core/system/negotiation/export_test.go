package negotiation

// Told is what Explain adds to a decision.
var Told = messages
