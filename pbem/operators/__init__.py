"""What those who run the site can do: see what stands still, help people, and leave a trace."""
