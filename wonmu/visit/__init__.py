"""The work of a visit without any talk: search, staging, recording, own bookings, engines."""
