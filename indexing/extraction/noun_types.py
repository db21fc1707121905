"""What a defining noun says of the type of a thing: "X is a village" makes X a place, whatever the parser says."""

from collections.abc import Mapping

_NOUNS = {
    "PERSON": (
        "academic activist actor actress admiral architect artist astronaut astronomer athlete author baron "
        "baronet biologist bishop boxer brother businessman businesswoman cardinal chairman chancellor chemist "
        "choreographer coach comedian composer conductor cosmonaut countess cricketer critic cyclist dancer "
        "daughter designer director dj drummer duchess duke economist editor emperor empress engineer entertainer "
        "entrepreneur explorer father filmmaker footballer general golfer governor guitarist historian inventor "
        "jockey journalist judge king lawyer leader linguist man manager mathematician mayor merchant minister "
        "missionary model monk mother musician naturalist navigator novelist officer painter philanthropist "
        "philosopher photographer physician physicist pianist pilot player playwright poet politician pope "
        "presenter president priest prince princess producer professor psychologist queen rapper saint scholar "
        "scientist sculptor senator singer sister skier soldier son songwriter sprinter swimmer teacher "
        "theologian translator vocalist wife woman wrestler writer"
    ),
    "PLACE": (
        "airport area arrondissement atoll bay borough bridge building canal canton cape capital castle cathedral "
        "cave cemetery city city-state coast commune community continent country county creek dam desert district "
        "estuary forest fort fortress glacier gulf hamlet harbour headland hill hospital house island islands "
        "lake lighthouse locality manor metropolis monument mosque mountain mountains municipality museum nation "
        "neighborhood neighbourhood ocean palace parish park peak peninsula place plain planet plateau port "
        "prefecture province reef region republic reserve reservoir resort river road sea seat settlement shrine "
        "square stadium state station strait stream street suburb temple territory theatre tower town township "
        "tributary valley village volcano ward waterfall woodland zone"
    ),
    "ORG": (
        "agency airline army association band bank brewery broadcaster bureau business charity choir church club "
        "college commission committee company congregation consortium cooperative corporation council court "
        "department distributor division duo ensemble firm force foundation government group institute "
        "institution league manufacturer ministry newspaper ngo observatory operator orchestra organisation "
        "organization party publisher quartet railway regiment school seminary society subsidiary syndicate team "
        "trio troupe union university"
    ),
    "WORK": (
        "album anime anthem ballet biography book cartoon comedy comic documentary drama ep essay film hymn "
        "journal magazine manga melody memoir miniseries movie musical novel novella opera painting play poem "
        "sculpture sequel series show single sitcom song soundtrack symphony thriller treatise trilogy videogame"
    ),
    "EVENT": (
        "battle campaign championship competition conference conflict congress coup cup disaster earthquake "
        "election epidemic expedition festival flood games massacre match mission olympics pandemic race raid "
        "rebellion referendum revolution riot siege summit tournament treaty uprising war"
    ),
    "PRODUCT": (
        "aircraft airliner antenna automobile beer bomber car computer console drug engine helicopter laptop "
        "locomotive missile motorcycle probe rifle rocket rover satellite ship smartphone software spacecraft "
        "submarine tank telescope vehicle warship"
    ),
    "LAW": ("act amendment bill constitution decree directive law ordinance regulation statute"),
}
_TYPE_OF: Mapping[str, str] = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split()}


def type_of_noun(noun: str) -> str | None:
    """Return the type that a defining noun (lower case) gives, None where it tells nothing."""
    return _TYPE_OF.get(noun)
