"""The letters and signs that names are written with, for telling code pages apart."""
# ruff: noqa: RUF001 - letters of all alphabets

from __future__ import annotations

# The letters of names beside a to z, by language, the more frequent first.
LATIN = (
    "üöäß", "éèçëêôâîàûùïœ", "áíéóñúü", "ãáéçíóôâúêõà", "àòèùìé", "öåäé", "øæåöä", "óáíðúéþöýæ", "ëéèöï",
    "łńśąęóćżźś", "áíěřčýšžéůúťďňóôľöäĺŕü", "őáéóöíüúű", "ćčšžđ", "ăîțţșşâ", "ıçşüöğİâ", "āšņņīčžķēļūģ",
    "šėžūčįąęų", "äüöõšž", "ëç", "èéàòíóçúüï", "ħżġċà",
)  # fmt: skip
# The letters of each other alphabet, the more frequent first.
RANKED = (
    "аоиенвркслтмдуйяпгбчьзыжюхшэцфёщъіїєґјљњћђџўќѓѕ",
    "ασιοτεηνρπςλκυμδγωχθφόίάέβήύώξζψϊϋΐΰ",
    "יוהלאמרתבנשדקחעפסגטזצכםןךףץ",
    "اليمنردبعسحهتفكوقشخطصذجغضزثةأءىإآئؤظ",
)
VOWELS = frozenset("aeiouyøæœıаоиеуяыюэёіїєαιοεηυωόίάέήύώ")
SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆"
    "張劉陳楊黃趙吳孫馬羅鄭謝許韓馮鄧蕭葉蘇呂盧鍾譚陸簡賴莊詹游江邱洪廖顏柯翁"
    "佐藤鈴木高橋田中伊渡辺山本中村小加吉井松清林斎池前岡長川石上原野大金青近後坂三武"
    "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구민류진지엄채원천방공현"
)
# Signs that are in names of files.
TYPOGRAPHIC = frozenset("’‘“”–—«»…ºª°·¿¡№´、。・（）「」『』《》〈〉【】～")

# Where each standard has the characters that are used most: the first and the last lead byte.
FREQUENT_HAN = {"gbk": ("gb2312", 0xB0, 0xD7), "cp950": ("big5", 0xA4, 0xC6), "cp932": ("cp932", 0x88, 0x97)}
