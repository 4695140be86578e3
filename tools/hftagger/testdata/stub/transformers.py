# SPDX-License-Identifier: Apache-2.0
"""As much of transformers as hftagger.py calls, for its test: a fast tokenizer that cuts
words into pieces of three characters, and a model that finds capitals. The model is surer in
the middle of a window than at its edges, and the folder's name changes what they are.
"""

import re
from types import SimpleNamespace

from torch import Tensor


class AutoTokenizer:
    model_max_length = 10**30

    @classmethod
    def from_pretrained(cls, folder, use_fast, local_files_only):
        assert use_fast and local_files_only
        tokenizer = cls()
        tokenizer.is_fast = folder != "slow"
        return tokenizer

    def __call__(self, text, truncation, max_length, stride, return_overflowing_tokens, return_offsets_mapping, padding, return_tensors):
        assert truncation and return_overflowing_tokens and return_offsets_mapping and padding and return_tensors == "pt"
        pieces = []
        for word in re.finditer(r"\w+|[^\w\s]", text):
            for start in range(word.start(), word.end(), 3):
                pieces.append((start, min(start + 3, word.end()), int(word.group()[0].isupper())))
        room, windows, at = max_length - 2, [], 0
        while True:
            windows.append(pieces[at : at + room])
            if at + room >= len(pieces):
                break
            at += room - stride
        size = max(len(w) for w in windows) + 2
        pad = lambda row, nothing: row + [nothing] * (size - len(row))
        return {
            "input_ids": Tensor([pad([101] + [kind for _, _, kind in w] + [102], 0) for w in windows]),
            "offset_mapping": Tensor([pad([(0, 0)] + [(a, b) for a, b, _ in w] + [(0, 0)], (0, 0)) for w in windows]),
            "overflow_to_sample_mapping": Tensor([0] * len(windows)),
        }


class AutoModelForTokenClassification:
    @classmethod
    def from_pretrained(cls, folder, local_files_only):
        assert local_files_only
        model = cls()
        labels = {0: "O", 1: "B-NAME", 2: "I-NAME"} if folder != "unnamed" else {0: "A", 1: "B"}
        model.config = SimpleNamespace(id2label=labels, max_position_embeddings=12, model_type="bert")
        if folder == "roberta":  # places from 2 on
            model.config = SimpleNamespace(id2label=labels, max_position_embeddings=14, model_type="roberta", pad_token_id=1)
        return model

    def to(self, device):
        return self

    def eval(self):
        return self

    def __call__(self, input_ids):
        row = input_ids.values[0]
        assert len(row) <= 12
        logits = []
        for i, kind in enumerate(row):
            sure = 2 + min(i, len(row) - 1 - i)
            logits.append([0, sure, 0] if kind == 1 else [10, 0, 0])
        return SimpleNamespace(logits=Tensor([logits]))
