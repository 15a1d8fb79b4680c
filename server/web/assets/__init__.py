"""What browsers are sent as it is: pages, scripts and styles, read once."""
