"""The layouts that need code of their own; a layout of names alone is a row of the registry."""
