// SPDX-License-Identifier: Apache-2.0

// Answers of a reader that could not be sent: kept on the device by draw and position, and
// sent when the connection is back. They hold positions and labels, and no text.

export class Kept {
  /** @param {string} prefix of the keys: person, project and review
   *  @param {string} url to send to */
  constructor(prefix, url) {
    this.prefix = prefix;
    this.url = url;
  }

  get keys() {
    return Object.keys(localStorage).filter((key) => key.startsWith(this.prefix));
  }

  /** @param {URLSearchParams} answer */
  keep(answer) {
    localStorage.setItem(`${this.prefix}${answer.get("draw")}/${answer.get("position")}`, answer.toString());
  }

  /** Sends an answer. It gives the status, or 0 without a connection, and what the server
   *  says.
   *  @param {URLSearchParams} answer
   *  @returns {Promise<{status: number, says: string}>} */
  async send(answer) {
    try {
      const got = await fetch(this.url, { method: "POST", body: answer, headers: { "HX-Request": "true" } });
      const page = new DOMParser().parseFromString(await got.text(), "text/html");
      return { status: got.status, says: (page.body.textContent ?? "").replace(/\s+/g, " ").trim() };
    } catch {
      return { status: 0, says: "" };
    }
  }

  /** Sends what is kept. An answer that the server has no use for any more is dropped.
   *  @returns {Promise<boolean>} whether nothing is left */
  async sendAll() {
    for (const key of this.keys) {
      const { status } = await this.send(new URLSearchParams(localStorage.getItem(key) ?? ""));
      if (![204, 404, 409, 422].includes(status)) return false;
      localStorage.removeItem(key);
    }
    return true;
  }
}
