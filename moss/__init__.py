"""The Django project and the `moss` command."""
