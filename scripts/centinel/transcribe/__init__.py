"""Speech to text: recordings into transcripts that say when they are not sure."""
