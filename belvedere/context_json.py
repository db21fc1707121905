"""A packed context as the JSON object that is printed; the keys are part of the product's face."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from query.packing.packed_context import PackedBlock, PackedContext, PackedSource


def context_json(context: "PackedContext") -> dict[str, object]:
    """Return a packed context as the JSON object that is printed."""
    return {
        "question": context.question,
        "route": context.route,
        "route_reason": context.route_reason,
        "text": context.text,
        "budget": context.budget,
        "tokens": context.tokens,
        "counted_by": context.counted_by,
        "left_out": context.left_out,
        "blocks": [_block_json(block) for block in context.blocks],
        "timings_ms": dict(context.timings_ms),
    }


def _block_json(block: "PackedBlock") -> dict[str, object]:
    return {
        "kind": block.kind,
        "title": block.title,
        "strength": block.strength,
        "sources": [_source_json(source) for source in block.sources],
    }


def _source_json(source: "PackedSource") -> dict[str, object]:
    return {
        "number": source.number,
        "chunk_ids": list(source.chunk_ids),
        "document_id": source.document_id,
        "title": source.title,
        "source_uri": source.source_uri,
        "heading_path": list(source.heading_path),
        "page": source.page,
        "columns": source.columns,
        "sentences": [
            {
                "chunk_id": sentence.chunk_id,
                "char_start": sentence.char_start,
                "char_end": sentence.char_end,
                "text": sentence.text,
            }
            for sentence in source.sentences
        ],
    }
