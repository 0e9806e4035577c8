import { client } from "../api/call";
import type {
  AuditQuery,
  EmbeddingsInput,
  Invitation,
  ModelInput,
  ModelTestInput,
  SearchServiceInput,
  ServerSettings,
  SettingName,
} from "./types";

export const claim = (code: string) => client.claim({ code });

export const listUsers = (keyword: string, page: number, page_size: number, signal?: AbortSignal) =>
  client.users({ keyword, page, page_size }, { signal });
/** Invites somebody. The link is an address of this page if the server does not know its own. */
export async function addUser(email: string, nickname: string, admin: boolean): Promise<Invitation> {
  const { invite_url, mailed } = await client.addUser({ email, admin, ...(nickname && { nickname }) });
  return { link: new URL(invite_url, location.href).href, mailed };
}
export const disableUser = (id: number) => client.disableUser(id);
export const enableUser = (id: number) => client.enableUser(id);
export const promoteUser = (id: number) => client.promoteUser(id);
export const demoteUser = (id: number) => client.demoteUser(id);
export const setQuota = (id: number, quota: string) => client.setUserQuota(id, { quota });
export const resetPassword = (id: number) => client.resetUserPassword(id);
export const deleteUser = (id: number) => client.removeUser(id);

export const usage = (by: "day" | "model" | "user", from: number, to: number) => client.totalUsage({ by, from, to });
export const audit = (query: AuditQuery, signal?: AbortSignal) => client.auditLog(query, { signal });
export const overview = () => client.overview();

export const connectedModels = () => client.connectedModels();
export const testModel = (input: ModelTestInput, signal?: AbortSignal) => client.testModel(input, { signal });
export const connectModel = (name: string, input: ModelInput) => client.connectModel(name, input);
export const disconnectModel = (name: string) => client.disconnectModel(name);
export const searchService = () => client.searchService();
export const testSearch = (input: SearchServiceInput) => client.testSearchService(input);
export const connectSearch = (input: SearchServiceInput) => client.connectSearchService(input);
export const disconnectSearch = () => client.disconnectSearchService();
export const embeddings = () => client.embeddingsServer();
export const testEmbeddings = (input: EmbeddingsInput) => client.testEmbeddingsServer(input);
export const connectEmbeddings = (input: EmbeddingsInput) => client.connectEmbeddingsServer(input);
export const disconnectEmbeddings = () => client.disconnectEmbeddingsServer();

export const settings = () => client.settings();
/** Changes one setting. null goes back to its default. A retention that deletes chats has to be confirmed. */
export const changeSetting = <N extends SettingName>(name: N, value: ServerSettings[N] | null, confirm = false) =>
  client.updateSettings({ [name]: value, ...(confirm && { confirm }) });
