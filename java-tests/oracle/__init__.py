"""Oracles: independent ways to determine what a profile should contain. They share no code with the agent or
the tool."""
