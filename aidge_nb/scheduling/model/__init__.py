"""The consumer-producer model: how much an operator takes and gives when it fires."""
