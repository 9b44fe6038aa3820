"""What a nickname looks like: names that the eye takes for one another have the same look (the idea of UTS 39's skeletons).

The letters folded here are those a player can type and another will misread: Cyrillic and Greek twins of Latin letters,
digits and letters of one shape, full and half width (by NFKC), accents, simplified and traditional pairs of the names
that pretend to be the house."""

import unicodedata

# Each row: what it is taken for, then all that looks like it. Applied after casefolding.
_TWINS = (
    ("a", "аαɑ"),
    ("b", "ьв"),
    ("c", "сϲ"),
    ("d", "ԁ"),
    ("e", "еєεҽ"),
    ("g", "ɡ9"),
    ("h", "һн"),
    ("i", "іιıl1|!ӏј丨亅"),
    ("j", "ϳ"),
    ("k", "кκ"),
    ("m", "м"),
    ("n", "пη"),
    ("o", "оοσ0〇○口"),
    ("p", "рρ"),
    ("q", "ԛ"),
    ("s", "ѕ5$"),
    ("t", "тτ"),
    ("u", "υцս"),
    ("v", "νѵ"),
    ("w", "ѡωԝш"),
    ("x", "хχ×"),
    ("y", "уγү"),
    ("z", "2ᴢ"),
    ("-", "—–‐‑‒―ー一"),
    (".", "。·・•‧"),
    ("日", "曰"),
    ("己", "已巳"),
    ("末", "未"),
    ("土", "士"),
    ("人", "入"),
    ("千", "干"),
    ("八", "ハ"),
    ("力", "カ"),
    ("夕", "タ"),
    ("工", "エ"),
    ("二", "ニ"),
    ("官", "宫"),
    ("员", "員"),
    ("统", "統"),
    ("系", "係"),
)
_FOLD = str.maketrans({twin: letter for letter, twins in _TWINS for twin in twins})
# Two letters that are read as one.
_PAIRS = (("rn", "m"), ("vv", "w"))
_IGNORED = frozenset({"Mn", "Me", "Cf", "Zs"})
# Names of the house, and of the bots: nobody else is called that.
HOUSE = ("系统", "管理员", "客服", "官方", "柳州麻将", "已注销", "admin", "system", "柳江", "鱼峰", "螺蛳")
_SPEAKING = ("系统", "管理员", "客服", "官方", "admin")  # not even as a part of a name


def look(nickname: str) -> str:
    """The look of a cleaned nickname; the same for names that are told apart only by close reading."""
    text = unicodedata.normalize("NFKC", nickname).casefold()
    # Accents and spaces are what one overlooks first.
    text = unicodedata.normalize("NFD", text)
    text = "".join(char for char in text if unicodedata.category(char) not in _IGNORED)
    text = unicodedata.normalize("NFC", text.translate(_FOLD)).casefold()
    for pair, letter in _PAIRS:
        text = text.replace(pair, letter)
    return text


_HOUSE_LOOKS = frozenset(look(name) for name in HOUSE)
_SPEAKING_LOOKS = tuple(look(name) for name in _SPEAKING)


def reserved(seen: str) -> bool:
    """Whether a look is one the house keeps for itself."""
    return seen in _HOUSE_LOOKS or any(name in seen for name in _SPEAKING_LOOKS)
