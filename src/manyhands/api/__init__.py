"""HTTP and WebSocket for one hub on loopback: who may come in, the routes, and the page."""
