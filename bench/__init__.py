"""Benchmarks with bars: each module measures one thing and says what the bar is."""
