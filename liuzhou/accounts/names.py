"""Names as others see them: nicknames (昵称) cleaned of everything that deceives the eye, and how wide they are."""

import unicodedata

NICKNAME_WIDTH = 16  # columns; a Chinese character takes two
USERNAME_MIN, USERNAME_MAX = 2, 20

# Letters and symbols by their category, yet drawn as nothing.
_BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f\u17b4\u17b5")
# Controls and bidi/zero-width marks, surrogates, private use, unassigned, line and paragraph separators.
_DROPPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MARKS = frozenset({"Mn", "Me"})


def display_width(text: str) -> int:
    """Columns on a fixed-width screen: 2 for Chinese characters and emoji, 0 for marks on a letter, otherwise 1."""
    return sum(_width(char) for char in text)


def _width(char: str) -> int:
    if unicodedata.category(char) in _MARKS:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def clean_nickname(text: str) -> str:
    """NFKC, without invisible or direction-changing characters, at most one mark a letter, single spaces."""
    kept: list[str] = []
    for char in unicodedata.normalize("NFKC", text):
        category = unicodedata.category(char)
        if category.startswith("Z") or char in "\t\n\r":
            kept.append(" ")
        elif category in _MARKS:
            if kept and kept[-1] != " " and unicodedata.category(kept[-1]) not in _MARKS and char not in _BLANKS:
                kept.append(char)
        elif category not in _DROPPED and char not in _BLANKS:
            kept.append(char)
    return " ".join("".join(kept).split())


def fit(text: str, width: int = NICKNAME_WIDTH) -> str:
    """The longest beginning of the text that is at most `width` columns and characters."""
    used = 0
    for index, char in enumerate(text):
        used += _width(char)
        if used > width or index == width:
            return text[:index].rstrip()
    return text


def too_long(nickname: str) -> bool:
    """Whether a cleaned nickname does not fit at the table."""
    return display_width(nickname) > NICKNAME_WIDTH or len(nickname) > NICKNAME_WIDTH
