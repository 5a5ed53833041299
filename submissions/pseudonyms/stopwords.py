"""Words that do not identify a student by themselves, although they may be part of a name."""

from __future__ import annotations

# Words in names of submissions from learning platforms and courses, file suffixes, particles of names.
_SUBMISSION_WORDS = """
    answer answers archive assign assignment attempt class code course draft exam exercise file files
    final folder group groups hand homework lab labs late main project question quiz report result sheet
    solution solutions source src student students submission submissions submit task team teams test tests
    text unit upload user week work zip
    abgabe aufgabe blatt gruppe hausaufgabe uebung
    bash cpp css csv cxx doc docx hpp htm html ipynb jar java json jsx kts lua mat odt pdf php ps1 pyw rar
    rtf rust scala sql svg swift tar tex tsx txt xls xlsx xml yaml yml
    bin das del della den der des dos ibn las los mac san the und van vom von zum zur
"""
# Words of programs, and English words that are also names of people.
_PROGRAM_WORDS = """
    abs abstract add age all and any api app arc arg args arm array art ascii ask assert async auto await
    back bad bag bar base basic begin best bill bind bit bits black block blue body book bool boolean box
    break brown buf buffer byte bytes
    call can card case cash cast cat catch cell chance char chars chase check child clear close cnt col cold
    color cols column command comment common compare complex con const continue cook copy cos count cut
    cycle
    data date dawn day days debug deck def default defer delete depth dict diff dim dir do double down drop
    edge edges elem elif else empty end entry enum eof err error eval even event except exit exp export
    extends
    fair false field fields fill filter finally find first fish flag float floor fly fn for force foreach
    form format found free friend from frost full fun func function
    game get global gold good goto grace grant graph gray green grey grid guard guy
    hall hand handle hard hash head heap heart height hex high hill hit hope host hunt
    ids idx impl import in index info inf init input insert instance int integer interface into is item items
    iter
    job join joy jump just
    key keys kind king knight
    label lambda land last law leaf left len length let level light like limit line lines link list little
    load local lock log long loop love low
    make man map mark mask match math max may mean merge method mid min miss mix mod mode month more move
    msg multi
    name names nan new next nice nil node nodes none not now null num number numbers
    obj object odd off offset old one only open operator opt option order other out output
    page pair pan parent park part pass path pay peek peer piece pin pivot place plain play point pool poor
    pop pos post power pre prev price prime print private probe public pure push put
    queen queue quick
    rain rand random range rank rate raw ray read real rec red ref reference rem repeat reset rest ret
    return reverse rich right ring rock root rose round row rows rule run
    safe sage sand save scan score sea search seed seek self send seq set sets sharp shift short show side
    sign sin single size skip sky sleep slice small snow some song sort south spring sqrt stack star start
    state static std step stop store storm str strange stream street string strip strong struct sub sum
    summer sun super swap sweet switch sync
    table tail tan target temp term than that then this throw time tmp token tokens top total town trait
    tree trim true try tuple turn two type
    uint union uniq unique unit until update use utf utils
    val value values var vec vector vertex view void volatile
    wait walk wall ward warm way weak west when where while white wild will win winter with wood word words
    world write
    xor year yes yield young zero
    april august december february january july june march november october september
    friday monday saturday sunday thursday tuesday wednesday
    md sha iso cp rfc latin
"""

SUBMISSION_WORDS = frozenset(_SUBMISSION_WORDS.split())
PROGRAM_WORDS = frozenset(_PROGRAM_WORDS.split())
