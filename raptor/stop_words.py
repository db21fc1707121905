"""Common English words, in lists for several uses; in other languages the statistics alone must do.

Function words carry grammar alone, so they are left out wherever words of a question and a passage are compared. Stop
words are these and others that tell nothing about a topic ("first", "year", "large", the months), though a question may
well ask with them; they are left out of what a group of texts is about. Openers are more words that sentences which sum
something up begin with, so that a capital there makes no name of them.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS = _words(
    """
    a about above after again against all also am an and any are aren as at be because been before being below
    between both but by can cannot could couldn did didn do does doesn doing don down during each either else ever
    every few for from further had hadn has hasn have haven having he her here hers herself him himself his how
    however i if in into is isn it its itself just ll let may me might mine more most much must my myself neither no
    nor not of off on once only or other our ours ourselves out over own per please re same shall she should shouldn
    since so some such tell than that the their theirs them themselves then there these they this those though
    through to too under until up upon us ve very via was wasn we were weren what whatever when where whether which
    while who whom whose why will with within without won would wouldn yes yet you your yours yourself yourselves s
    t d m
    """
)

STOP_WORDS = FUNCTION_WORDS | _words(
    """
    able according across actually ago almost alone along already although always among amount another anyone
    anything around ask asked away back became become began begin behind best better beyond big bring call called
    came certain come comes day days different done early end enough especially etc even example fact far finally
    find first five following former found four full gave get gets getting give given gives go goes going good got
    great held help home hundred important include included including instead keep kept kind knew know known large
    largest last late later latest least led left less like likely little long look made main major make makes
    making many maybe mean means million month months mostly name named near nearly need needs never new next nine
    nothing now often old one onto open others part particular people perhaps place point possible put quite rather
    really recent recently right round run said saw say saying says second see seemed seen set seven several show
    shown side single six small someone something sometimes soon still take taken takes taking ten thing things
    think third thousand three throughout thus time times today together told took top toward towards two use used
    uses using usually various want wanted way ways week weeks well went whole wide work year years
    january february march april june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday
    """
)

OPENERS = _words(
    """
    overall together key main major notable notably several various different another additionally finally similarly
    despite alongside according within throughout following early modern recent recently people topics themes sources
    """
)
