"""What each command does, one file a command. Imported only when the command runs."""
