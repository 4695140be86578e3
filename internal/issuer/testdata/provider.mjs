// SPDX-License-Identifier: Apache-2.0

// An issuer made of npm's oidc-provider: node provider.mjs FOLDER CLIENT SECRET ORIGIN, where
// FOLDER has the package. It prints its URL and ends with its standard input.
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, client_id, client_secret, origin] = process.argv.slice(2);
const { Provider } = await import(pathToFileURL(join(folder, "node_modules/oidc-provider/lib/index.js")).href);

const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(url, {
    clients: [{ client_id, client_secret, redirect_uris: [`${origin}/sign-in/callback`], post_logout_redirect_uris: [`${origin}/sign-in`] }],
    scopes: ["openid", "profile", "groups"],
    claims: { openid: ["sub"], profile: ["name"], groups: ["groups"] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } },
    findAccount: async (_, id) => ({ accountId: id, claims: async () => ({ sub: id, name: "Nora Lind", groups: ["staff", "board"] }) }),
  });
  server.on("request", provider.callback());
  console.log(url);
});
process.stdin.on("end", () => process.exit(0)).resume();
