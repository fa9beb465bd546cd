"""Questions that are answered with a widget or with ``check``: numbers, choices, orders, bars."""
