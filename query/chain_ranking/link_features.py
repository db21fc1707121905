"""What speaks for a link from an anchor to a passage, one column a feature."""

import numpy as np

from query.chain_ranking.arrays import Vector
from query.chain_ranking.evidence import Evidence
from query.chain_ranking.links import Links
from query.chain_ranking.passage_features import best_sentence, pool_scores
from query.chain_ranking.pool import hop_vectors


def link_columns(evidence: Evidence, links: Links, strengths: Vector, told: np.ndarray) -> dict[str, Vector]:
    """Return the features of links by name, (L,) each; ``strengths`` (anchors,) is how far each anchor is trusted."""
    a, p = links.anchor, links.target
    w = evidence.words.weights
    capital = w * evidence.words.capitalised
    plain = w * ~evidence.words.capitalised
    cov, lex = evidence.coverage, evidence.lexical
    gain = np.maximum(0.0, cov[p] - cov[a])
    lex_gain = np.maximum(0.0, lex[p] - lex[a])
    best = best_sentence(evidence, evidence.sentence_cosine)
    has = links.sentence >= 0
    row = np.maximum(links.sentence, 0)
    none = not len(evidence.sentences)
    cosine = np.zeros(len(a)) if none else np.where(has, evidence.sentence_cosine[row], 0.0)
    sent_cov = np.zeros_like(gain) if none else np.where(has[:, None], evidence.sentence_coverage[row], 0.0)
    from_sentence = np.maximum(0.0, cov[p] - sent_cov)
    hops = hop_vectors(evidence.question, evidence.vectors[a]) if len(a) else evidence.vectors[:0]
    told_hops = hop_vectors(evidence.question, told[a]) if len(a) else evidence.vectors[:0]
    documents = np.array([chunk.document_id for chunk in evidence.chunks])
    number = np.where(has, row - evidence.first_sentence[a], -1)
    columns = {
        "strength": strengths[links.place],
        "anchor_place": links.place.astype(np.float64),
        "bridge_cosine": cosine,
        "bridge_behind": cosine - best[a],
        "gain": gain @ w,
        "gain_words": lex_gain @ w,
        "gain_largest": gain.max(axis=1, initial=0.0),
        "union": np.maximum(cov[p], cov[a]) @ w,
        "union_words": np.maximum(lex[p], lex[a]) @ w,
        "in_title": links.in_title,
        "is_subject": links.is_subject,
        "rarity": links.rarity,
        "bridge_length": np.array([len(key.split()) for key in links.bridges], dtype=np.float64),
        "hop": np.einsum("ij,ij->i", hops, evidence.vectors[p]).astype(np.float64),
        "hop_by_sentence": np.einsum("ij,ij->i", told_hops, evidence.vectors[p]).astype(np.float64),
        "anchor_names": links.anchor_names,
        "target_names": links.target_names,
        "target_dense": evidence.dense[p],
        "target_bm25": evidence.bm25[p],
        "target_mass": evidence.mass[p],
        "shared": np.minimum(links.shared, 5.0),
        "anchor_home": evidence.asked_home[a],
        "target_home": evidence.asked_home[p],
        "sentence_number": np.minimum(number, 10.0).astype(np.float64),
        "anchor_best": best[a],
        "target_best": best[p],
        "anchor_dense": evidence.dense[a],
        "anchor_mass": evidence.mass[a],
        "same_document": (documents[a] == documents[p]).astype(np.float64),
        "bridge_covers": sent_cov @ w,
        "gain_of_sentence": from_sentence @ w,
        "gain_difference": (from_sentence - gain) @ w,
        "gain_names": gain @ capital,
        "gain_others": gain @ plain,
        "gain_name_words": lex_gain @ capital,
        "gain_other_words": lex_gain @ plain,
    }
    columns.update(_within_pool(evidence, links, best))
    return columns


def _within_pool(evidence: Evidence, links: Links, best: Vector) -> dict[str, Vector]:
    """Return standing in the pool of both ends: coverage, words, nearest sentence, title, mass."""
    w = evidence.words.weights
    columns = {
        "covered": evidence.coverage @ w,
        "held": evidence.lexical @ w,
        "nearest": best,
        "title": evidence.title_words @ w,
        "asked": evidence.title_share,
        "mass": evidence.mass,
    }
    found: dict[str, Vector] = {}
    for name, column in columns.items():
        scores = pool_scores(column)
        found[f"z_target_{name}"] = scores[links.target]
        found[f"z_anchor_{name}"] = scores[links.anchor]
    return found
