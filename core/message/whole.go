package message

// Begin sets the mode of a worker with the whole program. It is the first message to it;
// all further ones are those of its mode.
type Begin struct {
	Mode string `json:"mode" ts:"\"run\" | \"plan\" | \"papers\" | \"sweep\""`
}

func (Begin) Kind() string { return "begin" }
