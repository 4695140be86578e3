# SPDX-License-Identifier: Apache-2.0
"""What scikit-learn's learners come to on the rows that the tests of
internal/greedy/linear and internal/greedy/boost make: the numbers named there.

    apt-get install python3-sklearn && /usr/bin/python3 tools/reference/learners.py

Given two files of attributes, also naive Bayes learnt from the first on the second,
as the tests of internal/crf name it:

    hide generate --patients 3 --out train.jsonl
    hide generate --patients 3 --seed 2 --out test.jsonl
    hide bench crf --in train.jsonl --dump-attributes train.crf --test test.jsonl --dump-test test.crf
    /usr/bin/python3 tools/reference/learners.py train.crf test.crf
"""

import re
import sys

import numpy as np
import sklearn
from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.metrics import log_loss
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

COLUMNS = 6


def rows(n, state):
    """Rows of fiftieths in [0, 1) and their kinds, by a generator of 32 bits."""
    x, y = np.empty((n, COLUMNS)), np.empty(n, bool)
    for r in range(n):
        for c in range(COLUMNS):
            state = (1664525 * state + 1013904223) % 2**32
            x[r, c] = (state >> 16) * 50 // 2**16 / 50
        y[r] = (x[r, 0] + x[r, 1] * x[r, 2] > 0.8) != (x[r, 3] > 0.9)
    return x, y


def objective(x, y, loss, cost):
    """1/2 |w|^2 + C sum loss(1 - y w.x), the constant a column like the others."""
    x = np.hstack([x, np.ones((len(x), 1))])
    svm = LinearSVC(loss=loss, C=cost, fit_intercept=False, tol=1e-8, max_iter=10**7, random_state=0).fit(x, y)
    w = svm.coef_[0]
    short = np.maximum(0, 1 - np.where(y, 1, -1) * (x @ w))
    return w @ w / 2 + cost * np.sum(short if loss == "hinge" else short**2)


def tokens(path):
    """Attributes with their values, and labels without B and I, of a CRFsuite file."""
    words, states = [], []
    for line in open(path, "rb").read().decode("utf-8", "surrogateescape").split("\n"):
        if not line:
            continue
        state, *fields = line.split("\t")
        values = {}
        for field in fields:
            name, value = re.fullmatch(r"((?:[^:\\]|\\.)*)(?::(.*))?", field, re.DOTALL).groups()
            values[name] = values.get(name, 0) + float(value or 1)
        words.append(values)
        states.append(state)
    return words, states


def bayes(train, test, alpha):
    """Each word by itself among the states of BIO; log loss of labels, at most -log 1e-6 a word."""
    words, states = tokens(train)
    vectors = DictVectorizer()
    prior = np.unique(states, return_counts=True)[1] + alpha  # scikit-learn by itself does not smooth it
    model = MultinomialNB(alpha=alpha, class_prior=prior / prior.sum()).fit(vectors.fit_transform(words), states)
    words, truth = tokens(test)
    p = model.predict_proba(vectors.transform(words))
    label = np.array([s[2:] for s in model.classes_])
    truth = np.array([s[2:] for s in truth])
    names = np.unique(label)
    p = np.stack([p[:, label == name].sum(axis=1) for name in names], axis=1)
    right = (p * (names == truth[:, None])).sum(axis=1)
    loss = -np.log(np.maximum(right, 1e-6)).mean()
    print(f"naive Bayes, alpha {alpha}: log loss {loss:.5f}, wrong {np.sum(names[p.argmax(axis=1)] != truth)} of {len(truth)}")


def main():
    x, y = rows(1000, 1)
    test, truth = rows(1000, 2)
    print("scikit-learn", sklearn.__version__)
    for loss in ("hinge", "squared_hinge"):
        print(f"svm, {loss}: objective {objective(x, y, loss, 0.5):.6f}")
    trees = HistGradientBoostingClassifier(
        max_iter=100, max_leaf_nodes=8, learning_rate=0.1, l2_regularization=1, min_samples_leaf=1,
        early_stopping=False).fit(x, y)
    p = trees.predict_proba(test)[:, 1]
    print(f"boosted trees: log loss {log_loss(truth, p):.4f}, wrong {np.sum((p > .5) != truth)} of {len(truth)}")
    for leaves in (2, 4):
        vote = AdaBoostClassifier(DecisionTreeClassifier(max_leaf_nodes=leaves), n_estimators=100, algorithm="SAMME").fit(x, y)
        print(f"adaboost, {leaves} leaves: wrong {np.sum(vote.predict(x) != y)} of those learnt from, "
              f"{np.sum(vote.predict(test) != truth)} of {len(truth)}")
    if len(sys.argv) == 3:
        for alpha in (0.01, 1):
            bayes(sys.argv[1], sys.argv[2], alpha)


main()
