"""Recordings: what a channel, a feed or a page of them lists, by way of yt-dlp."""
