"""Controls for two volumes: selection and mixing."""
