"""What the tests of whole processes share."""
