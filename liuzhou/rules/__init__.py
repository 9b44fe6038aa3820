"""The rules of Liuzhou mahjong 柳州麻将: pure, deterministic, standard library only (RULES.md is the authority)."""

RULES_VERSION = 1
