"""Files, command lines and numbers of version 0.1 that later versions must understand."""
