# -*- coding: latin-1 -*-
"""Library fines - starter file.

Usage: python3 fines.py loans.csv [YYYY-MM-DD]

The second argument is the day of the report (default: today).
"""
# Jörg Baumann, Übungsgruppe 3
import sys
from datetime import date, timedelta

# Days on which the library is closed, besides every Sunday.
HOLIDAYS = {
    date(2024, 3, 29),
    date(2024, 4, 1),
    date(2024, 5, 1),
}

# Kategorie: Satz, Karenz, Höchstbetrag
TARIF = {
    'book': {'satz': 25, 'karenz': 3, 'hoechst': 1000},
    'magazine': {'satz': 10, 'karenz': 3, 'hoechst': 400},
    'dvd': {'satz': 100, 'karenz': 1, 'hoechst': 1500},
    'equipment': {'satz': 250, 'karenz': 0, 'hoechst': 6000},
}


def parse_date(text):
    """Turn '2024-03-05' into a date; raise ValueError if it is none."""
    year, month, day = text.strip().split("-")
    return date(int(year), int(month), int(day))


def read_lines(path):
    """Return the lines of the file without the header and empty lines."""
    with open(path, encoding="utf-8") as handle:
        lines = [line.strip() for line in handle]
    return [line for line in lines if line and not line.startswith("member,")]


def offen(tag):
    if tag in HOLIDAYS:
        return False
    return tag.weekday() < 6


def zaehle_tage(von, bis):
    # alle Tage nach dem Rückgabetermin, an denen geöffnet ist
    if bis <= von:
        return 0
    rest = zaehle_tage(von, bis - timedelta(days=1))
    return rest + 1 if offen(bis) else rest


def gebuehr(kategorie, tage, mitglied):
    tarif = TARIF[kategorie]
    betrag = 0
    if tage > tarif['karenz']:
        betrag = min(tage * tarif['satz'], tarif['hoechst'])
    if mitglied.startswith('J'):
        betrag //= 2
    return betrag


def lies_zeile(zeile, heute):
    """None, wenn die Zeile unbrauchbar ist."""
    teile = zeile.split(',')
    if len(teile) != 5 or teile[2] not in TARIF:
        return None
    try:
        frist = parse_date(teile[3])
        ende = parse_date(teile[4] or heute.isoformat())
    except ValueError:
        return None
    return {
        'mitglied': teile[0],
        'titel': teile[1],
        'betrag': gebuehr(teile[2], zaehle_tage(frist, ende), teile[0]),
    }


def summiere(posten, spalte):
    summen = {}
    for p in posten:
        summen[p[spalte]] = summen.get(p[spalte], 0) + p['betrag']
    return summen


def drucke(name, betrag):
    print(name + ' ' * (30 - len(name)) + '%3d,%02d EUR' % (betrag // 100, betrag % 100))


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        sys.exit(2)
    report_day = parse_date(sys.argv[2]) if len(sys.argv) == 3 else date.today()
    lines = read_lines(sys.argv[1])
    alle = [lies_zeile(z, report_day) for z in lines]
    posten = [p for p in alle if p]
    mitglieder = summiere(posten, 'mitglied')
    for name in sorted(sorted(mitglieder), key=mitglieder.get, reverse=True):
        if mitglieder[name]:
            drucke(name, mitglieder[name])
    drucke('zusammen', sum(p['betrag'] for p in posten))
    print()
    titel = summiere(posten, 'titel')
    for name in sorted(titel, key=titel.get)[-3:][::-1]:
        drucke(name, titel[name])
    if None in alle:
        print('übersprungen:', alle.count(None))


if __name__ == "__main__":
    main()
