"""Entities and statements read from chunks by a language model, checked against the text they came from."""
