"""Who is in whose way: the forecast of conflicts, as events and as what a session keeps of them."""
