"""Parts of the page of learning-rate schedules."""
