// SPDX-License-Identifier: Apache-2.0

// Passkeys: a form with data-passkey asks the server for options, the browser for a passkey,
// and is then sent with the answer.

/** @param {HTMLFormElement} form @param {string} text */
function say(form, text) {
  const place = form.querySelector("[data-problem]");
  place.textContent = text;
  place.hidden = text === "";
}

/** @param {HTMLFormElement} form */
async function ask(form) {
  const answer = await fetch(form.dataset.begin, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "error" });
  const { problem, ticket, options } = await answer.json();
  if (problem) throw new Error(problem);
  const create = form.dataset.passkey === "create";
  const read = create ? PublicKeyCredential.parseCreationOptionsFromJSON : PublicKeyCredential.parseRequestOptionsFromJSON;
  const publicKey = read.call(PublicKeyCredential, options);
  const credential = await (create ? navigator.credentials.create({ publicKey }) : navigator.credentials.get({ publicKey }));
  form.elements.namedItem("ticket").value = ticket;
  form.elements.namedItem("answer").value = JSON.stringify(credential.toJSON());
}

/** @param {Error} error of a browser or of the server, in words */
function words(error) {
  switch (error.name) {
    case "NotAllowedError": return "No passkey was used: the request was cancelled, or took too long. Try again.";
    case "InvalidStateError": return "This device already has a passkey for your account.";
    case "SyntaxError": case "TypeError": return "The server did not answer. Reload the page and try again.";
  }
  return error.message;
}

const able = globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON && navigator.credentials;
for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!able) {
    say(form, "This browser cannot use passkeys.");
    form.querySelector("button").disabled = true;
    continue;
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    say(form, "");
    try {
      await ask(form);
      form.submit(); // sends no event: this listener is not called again
    } catch (error) {
      say(form, words(error));
      button.disabled = false;
    }
  });
}
