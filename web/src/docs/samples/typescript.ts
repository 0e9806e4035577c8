import { type Operation, resultFields } from "../document";
import { isJson, isStream, type Request } from "./request";

/** The method of the TypeScript client for an operation, and its arguments before the body. */
export const methods: Record<string, [method: string, ...args: string[]]> = {
  login: ["login"],
  logout: ["logout"],
  getSignOn: ["signOn"],
  exchangeSignIn: ["signIn"],
  register: ["register"],
  listMessages: ["messages", "session_id"],
  send: ["send"],
  createSession: ["createSession"],
  deleteSession: ["deleteSession", "session_id"],
  getSession: ["session", "session_id"],
  updateSession: ["updateSession", "session_id"],
  clearSession: ["clearSession", "session_id"],
  exportSession: ["export", "session_id"],
  listFiles: ["files", "session_id"],
  regenerate: ["regenerate", "session_id"],
  continueReply: ["continueReply", "session_id"],
  search: ["search"],
  forkSession: ["fork", "session_id"],
  shareSession: ["share", "session_id"],
  listShares: ["shares"],
  deleteShare: ["deleteShare", "share_id"],
  readShare: ["readShare", "share_id"],
  startImport: ["startImport"],
  getImport: ["import", "import_id"],
  exportAccount: ["exportAccount"],
  listSessions: ["sessions"],
  stream: ["stream"],
  follow: ["follow", "message_id"],
  stop: ["stop", "message_id"],
  rateReply: ["rate", "message_id"],
  addFavorite: ["addFavorite"],
  listFavorites: ["favorites"],
  removeFavorite: ["removeFavorite", "message_id"],
  createPrompt: ["createPrompt"],
  listPrompts: ["prompts"],
  updatePrompt: ["updatePrompt", "prompt_id"],
  deletePrompt: ["deletePrompt", "prompt_id"],
  uploadFile: ["upload", "session_id"],
  deleteFile: ["deleteFile", "file_id"],
  downloadFile: ["download", "file_id"],
  showPicture: ["picture", "file_id"],
  readFile: ["fileText", "file_id"],
  listModels: ["models"],
  deleteUser: ["deleteUser"],
  userInfo: ["user"],
  updateProfile: ["updateProfile"],
  changePassword: ["changePassword"],
  setUpSecondFactor: ["setUpSecondFactor"],
  confirmSecondFactor: ["confirmSecondFactor"],
  removeSecondFactor: ["removeSecondFactor"],
  registrationStatus: ["registrationStatus"],
  resetStatus: ["resetStatus"],
  requestReset: ["requestReset"],
  checkReset: ["checkReset"],
  confirmReset: ["confirmReset"],
  listUsage: ["usage"],
  getSettings: ["settings"],
  updateSettings: ["updateSettings"],
  listTokens: ["tokens"],
  endToken: ["endToken", "token_id"],
  createKey: ["createKey"],
  listKeys: ["keys"],
  deleteKey: ["deleteKey", "key_id"],
  claimAdmin: ["claim"],
  listUsers: ["users"],
  listTotalUsage: ["totalUsage"],
  listAudit: ["auditLog"],
  getOverview: ["overview"],
  addUser: ["addUser"],
  disableUser: ["disableUser", "user_id"],
  enableUser: ["enableUser", "user_id"],
  resetUserPassword: ["resetUserPassword", "user_id"],
  setUserQuota: ["setUserQuota", "user_id"],
  promoteUser: ["promoteUser", "user_id"],
  demoteUser: ["demoteUser", "user_id"],
  removeUser: ["removeUser", "user_id"],
};

/** Operations whose arguments are all that they take. */
const withoutInput = ["follow", "stop", "removeFavorite"];

/** Returns a call of the TypeScript client. An operation that it has no method for is sent as a request. */
export function typescript(request: Request, origin: string): string {
  const { operation } = request;
  const options = operation.secured ? ", { token }" : "";
  const call = `client.${callOf(request)}`;
  return [
    'import { Client } from "@parley/client";\n',
    `const client = new Client(${quote(origin)}${options});`,
    isStream(operation)
      ? `for await (const event of ${call}) console.log(event.name, event.data);`
      : `${hasResult(operation) ? "const result = " : ""}await ${call};`,
  ].join("\n");
}

function callOf(request: Request): string {
  const { id, method, body, parameters } = request.operation;
  const [name, ...names] = methods[id] ?? [];
  if (!name) {
    const input = request.body ? `, { body: ${request.body} }` : "";
    return `request("${method}", ${quote(request.url)}${input})`;
  }
  const args = names.map((argument) => {
    const isNumber = parameters.some(({ name, schema }) => name === argument && schema.type === "integer");
    const value = request.shown(argument) || argument.toUpperCase();
    return isNumber ? value : quote(value);
  });
  if (body?.kind === "form") args.push("file");
  else if (!withoutInput.includes(id)) args.push(request.body || queryOf(request, names));
  return `${name}(${args.filter(Boolean).join(", ")})`;
}

/** Returns the values of the query that are not arguments of their own, or "". */
function queryOf(request: Request, names: string[]): string {
  const given = request.operation.parameters
    .filter(({ name, in: place }) => place === "query" && !names.includes(name) && request.shown(name))
    .map(({ name, schema }) => {
      const value = request.shown(name);
      return `${name}: ${schema.type === "integer" ? value : quote(value)}`;
    });
  return given.length > 0 ? `{ ${given.join(", ")} }` : "";
}

const hasResult = (operation: Operation) => !isJson(operation) || resultFields(operation).length > 0;
const quote = (text: string) => JSON.stringify(text);
