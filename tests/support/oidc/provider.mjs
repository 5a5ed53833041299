// Run npm's oidc-provider on a free port of loopback and print its address.
// Arguments: a JSON file with the claims of each account by its name, which is read at every use, and the
// address of the client that people are sent back to. Imports are found from the folder that it is run in.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import Provider from "oidc-provider";

const [accounts, callback] = process.argv.slice(2);

const configuration = {
  clients: [{ client_id: "moss", client_secret: "only-for-tests", redirect_uris: [callback] }],
  claims: {
    openid: ["sub"],
    profile: ["name", "preferred_username", "groups"],
    email: ["email", "email_verified"],
  },
  cookies: { keys: ["only-for-tests"] },
  findAccount(_context, name) {
    const claims = JSON.parse(readFileSync(accounts, "utf8"))[name];
    return claims && { accountId: name, claims: () => ({ sub: name, ...claims }) };
  },
};

const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const address = `http://127.0.0.1:${server.address().port}`;
  server.on("request", new Provider(address, configuration).callback());
  process.stdout.write(`${address}\n`);
});
