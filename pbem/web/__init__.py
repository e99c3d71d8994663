"""The pages and the API: blueprints translate requests, and leave the work to pbem."""
