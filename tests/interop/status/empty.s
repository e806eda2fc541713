// It is here so that links.go may declare functions without a body.
