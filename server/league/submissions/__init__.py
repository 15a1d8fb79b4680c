"""Submissions: versions of bots that their authors upload, build, check, qualification."""
