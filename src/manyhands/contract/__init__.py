"""What goes over HTTP, said once by area of the API: hub, client and page share it."""
