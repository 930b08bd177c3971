"""Oracles: independent ways to know what a profile should say. Nothing here shares code with the agent or the tool."""
