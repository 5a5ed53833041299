"""Measurements, each module one command: accuracy on labelled pairs, speed against lexer and other tools."""
