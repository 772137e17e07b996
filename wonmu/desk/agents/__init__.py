"""Specialists on LangChain: each in a window of its own, asked one question, answering once."""
