"""Records of what a design did: one typed layout shared by probes (C++), ring reader and scoreboard."""
