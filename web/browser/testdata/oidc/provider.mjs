// A provider of OpenID Connect, by oidc-provider. It prints its address. Its argument is where browsers go back to. A
// user signs in with any address, which is verified unless it begins with "unverified", and cancels with none.
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const [redirect] = process.argv.slice(2);
const form = `<!doctype html><title>Provider</title>
<form method="post"><input name="login"><button>Continue</button></form>`;

const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: "parley", client_secret: "a-secret-of-the-client", redirect_uris: [redirect] }],
    cookies: { keys: ["a key of the cookies"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: !id.startsWith("unverified"), name: "Someone at work" }),
    }),
    // Nobody is asked whether the service may know the address.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  const serve = provider.callback();
  server.on("request", (request, response) => {
    if (!request.url.startsWith("/interaction/")) return serve(request, response);
    if (request.method === "POST") return signIn(provider, request, response);
    response.setHeader("Content-Type", "text/html");
    response.end(form);
  });
  console.log(issuer);
});

async function signIn(provider, request, response) {
  let body = "";
  for await (const chunk of request) body += chunk;
  const accountId = new URLSearchParams(body).get("login");
  const result = accountId ? { login: { accountId } } : { error: "access_denied" };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}
