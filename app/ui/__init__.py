"""Parts that every panel uses: theme and forms."""
