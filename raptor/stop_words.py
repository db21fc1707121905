"""Common English words that tell nothing about a topic; in other languages the statistics alone must do."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS = _words(
    """
    a able about above according across actually after again against ago all almost alone along already also although
    always am among amount an and another any anyone anything are around as ask asked at away back be became because
    become been before began begin behind being below best better between beyond big both bring but by call called came
    can cannot certain come comes could day days did different do does doing done down during each early either else end
    enough especially etc even ever every example fact far few finally find first five following for former found four
    from full further gave get gets getting give given gives go goes going good got great had has have having he held
    help her here hers him himself his home how however hundred i if important in include included including instead
    into is it its itself just keep kept kind knew know known large largest last late later latest least led left less
    let like likely little long look made main major make makes making many may maybe mean means might million month
    months more most mostly much must my name named near nearly need needs never new next nine no nor not nothing now of
    off often old on once one only onto open or other others our out over own part particular people per perhaps place
    point possible put quite rather really recent recently right round run said same saw say saying says second see
    seemed seen set seven several shall she should show shown side since single six small so some someone something
    sometimes soon still such take taken takes taking ten than that the their them themselves then there these they
    thing things think third this those though thousand three through throughout thus time times to today together told
    too took top toward towards two under until up upon us use used uses using usually various very want wanted was way
    ways we week weeks well went were what when where whether which while who whole whom whose why wide will with within
    without work would year years yes yet you your
    january february march april june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    """
)
