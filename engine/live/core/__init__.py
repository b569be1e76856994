"""Parts that live CT and live PET share: frames, messages, sockets."""
