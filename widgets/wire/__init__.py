"""The wire format between Python and the browser."""
