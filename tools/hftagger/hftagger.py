# SPDX-License-Identifier: Apache-2.0
"""An outside tagger for hide that asks a token classifier of Hugging Face.

    pip install torch transformers
    hide experiment --in notes.jsonl --modes cost \
        --learners "crf,outside:python3 tools/hftagger/hftagger.py FOLDER"

FOLDER holds a model and its tokenizer as save_pretrained writes them; it is read from disk,
and nothing is downloaded. The tokenizer must be a fast one: only these say where in the text
a token stands. Notes stay in this process.

Each line of standard input is {"id","text"}; each answer is {"id","spans"} with a span for
every token of the model that may be an identifier. Its score is the probability of all labels
but O. Notes longer than the model reads are cut into windows that overlap; a token has the
score of the window in which it is farthest from an edge. Standard error gets no text of notes.
"""

import argparse
import json
import sys

try:
    import torch
    from transformers import AutoModelForTokenClassification, AutoTokenizer
except ModuleNotFoundError as missing:
    sys.exit(f"hftagger: there is no module {missing.name}: pip install torch transformers")

LEAST = 0.0005  # a lower score is taken for 0
USUAL = 512  # tokens that a model reads, if it does not say how many
MOST = 8192  # some tokenizers say "any number"


def outside(labels):
    """The numbers of the labels that mean that a token is no identifier."""
    found = [i for i, name in labels.items() if name in ("O", "LABEL_0")]
    if not found:
        sys.exit("hftagger: none of the model's labels is O")
    return found


def room(config):
    """How many tokens a model has places for. RoBERTa numbers places from the one after its padding."""
    places = getattr(config, "max_position_embeddings", USUAL)
    if getattr(config, "model_type", "") in ("roberta", "xlm-roberta", "camembert"):
        places -= config.pad_token_id + 1
    return places


class Tagger:
    def __init__(self, folder, window, stride, device):
        self.tokenizer = AutoTokenizer.from_pretrained(folder, use_fast=True, local_files_only=True)
        if not self.tokenizer.is_fast:
            sys.exit("hftagger: the model has no fast tokenizer, so places in the text are unknown")
        self.model = AutoModelForTokenClassification.from_pretrained(folder, local_files_only=True)
        self.model.to(device).eval()
        self.device, self.outside = device, outside(self.model.config.id2label)
        limit = min(self.tokenizer.model_max_length, room(self.model.config), MOST)
        self.window = min(window or limit, limit)
        self.stride = min(stride, self.window // 4)

    def spans(self, text):
        """The score of each token by its place in the text, in code points."""
        batch = self.tokenizer(
            text,
            truncation=True,
            max_length=self.window,
            stride=self.stride,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            padding=True,
            return_tensors="pt",
        )
        places = batch.pop("offset_mapping").tolist()
        batch.pop("overflow_to_sample_mapping", None)
        best = {}  # place -> (distance from the edges of the window, score)
        for at, offsets in enumerate(places):
            one = {name: values[at : at + 1].to(self.device) for name, values in batch.items()}
            with torch.no_grad():
                probabilities = self.model(**one).logits[0].softmax(-1).tolist()
            used = [i for i, (start, end) in enumerate(offsets) if end > start]
            for i in used:
                inside = min(i - used[0], used[-1] - i)
                score = 1 - sum(probabilities[i][o] for o in self.outside)
                place = tuple(offsets[i])
                if place not in best or inside > best[place][0]:
                    best[place] = (inside, score)
        return [
            {"start": start, "end": end, "score": min(max(round(score, 4), 0), 1)}
            for (start, end), (_, score) in sorted(best.items())
            if score >= LEAST
        ]


def main():
    parser = argparse.ArgumentParser(description="Answers notes with the spans of a token classifier.")
    parser.add_argument("folder", help="model and tokenizer, as save_pretrained writes them")
    parser.add_argument("--window", type=int, default=0, help="tokens read at once; 0 for as many as the model can")
    parser.add_argument("--stride", type=int, default=128, help="tokens that two windows share")
    parser.add_argument("--device", default="cpu", help="where the model computes: cpu, cuda, ...")
    options = parser.parse_args()
    tagger = Tagger(options.folder, options.window, options.stride, options.device)
    for number, line in enumerate(sys.stdin, 1):
        try:
            note = json.loads(line)
            identifier, text = note["id"], note["text"]
        except (ValueError, KeyError, TypeError):
            sys.exit(f"hftagger: line {number} is not an object with id and text")
        print(json.dumps({"id": identifier, "spans": tagger.spans(text)}), flush=True)


if __name__ == "__main__":
    main()
