"""The parts of the explore page: what is asked, and what is answered."""
