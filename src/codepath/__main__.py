"""`python -m codepath`."""

from codepath.cli import main

if __name__ == "__main__":
    main()
