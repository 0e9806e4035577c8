import type { components, operations } from "./schema.js";

type Schemas = components["schemas"];

/** T without its index signature, so that a misspelled field is an error. */
type Closed<T> = { [K in keyof T as string extends K ? never : K]: T[K] };

type Query<Name extends keyof operations> = NonNullable<operations[Name]["parameters"]["query"]>;

// Inputs
export type RegisterInput = Closed<Schemas["RegisterInput"]>;
export type LoginInput = Closed<Schemas["LoginInput"]>;
export type SignInInput = Closed<Schemas["SignInInput"]>;
export type ProfileInput = Closed<Schemas["ProfileInput"]>;
export type PasswordInput = Closed<Schemas["PasswordInput"]>;
export type DeleteUserInput = Closed<Schemas["DeleteUserInput"]>;
export type SecondFactorInput = Closed<Schemas["SecondFactorInput"]>;
export type ConfirmSecondFactorInput = Closed<Schemas["ConfirmSecondFactorInput"]>;
export type RemoveSecondFactorInput = Closed<Schemas["RemoveSecondFactorInput"]>;
export type ResetInput = Closed<Schemas["ResetInput"]>;
export type CheckResetInput = Closed<Schemas["CheckResetInput"]>;
export type ConfirmResetInput = Closed<Schemas["ConfirmResetInput"]>;
export type KeyInput = Closed<Schemas["KeyInput"]>;
export type ClaimInput = Closed<Schemas["ClaimInput"]>;
export type AddUserInput = Closed<Schemas["AddUserInput"]>;
export type QuotaInput = Closed<Schemas["QuotaInput"]>;
/** The settings to change. Those that are null go back to their defaults. */
export type SettingsInput = { [K in keyof Closed<Schemas["SettingsInput"]>]: Schemas["SettingsInput"][K] | null };
export type ModelInput = Closed<Schemas["ModelInput"]>;
export type ModelTestInput = Closed<Schemas["ModelTestInput"]>;
export type SearchServiceInput = Closed<Schemas["SearchServiceInput"]>;
export type EmbeddingsInput = Closed<Schemas["EmbeddingsInput"]>;
export type CreateSessionInput = Closed<Schemas["CreateSessionInput"]>;
export type UpdateSessionInput = Closed<Schemas["UpdateSessionInput"]>;
export type ForkInput = Closed<Schemas["ForkInput"]>;
export type ShareInput = Closed<Schemas["ShareInput"]>;
export type SendInput = Closed<Schemas["SendInput"]>;
export type StreamInput = Closed<Schemas["StreamInput"]>;
export type RegenerateInput = Closed<Schemas["RegenerateInput"]>;
export type AddFavoriteInput = Closed<Schemas["AddFavoriteInput"]>;
export type Rating = Schemas["RatingInput"]["rating"];
export type PromptInput = Closed<Schemas["PromptInput"]>;
export type UpdatePromptInput = Closed<Schemas["UpdatePromptInput"]>;

// Pages of lists
export type SessionsQuery = Query<"listSessions">;
export type SearchQuery = Query<"search">;
export type UsersQuery = Query<"listUsers">;
export type UsageQuery = Query<"listUsage">;
export type TotalUsageQuery = Query<"listTotalUsage">;
export type AuditQuery = Query<"listAudit">;
export type MessagesQuery = Omit<Query<"listMessages">, "session_id">;
export type FavoritesQuery = Query<"listFavorites">;
export type FileTextQuery = Query<"readFile">;

// Outputs
export type RegisterOutput = Schemas["RegisterOutput"];
export type RegistrationStatus = Schemas["RegistrationStatus"];
export type LoginOutput = Schemas["LoginOutput"];
/** The provider of single sign-on. */
export type SignOn = Schemas["SignOn"];
export type UserInfo = Schemas["UserInfo"];
export type UserProfile = Schemas["UserProfile"];
export type SecondFactorOutput = Schemas["SecondFactorOutput"];
/** What a retention would delete. */
export type AgedSessions = Schemas["AgedSessions"];
/** All models on offer with their servers. */
export type ModelConnections = Schemas["ModelConnections"];
export type ModelConnection = Schemas["ModelConnection"];
export type ModelTestOutput = Schemas["ModelTestOutput"];
export type SearchService = Schemas["SearchService"];
export type SearchTestOutput = Schemas["SearchTestOutput"];
export type EmbeddingsServer = Schemas["EmbeddingsServer"];
export type EmbeddingsTestOutput = Schemas["EmbeddingsTestOutput"];
export type RecoveryCodesOutput = Schemas["RecoveryCodesOutput"];
export type ResetStatus = Schemas["ResetStatus"];
export type CheckResetOutput = Schemas["CheckResetOutput"];
export type TokensOutput = Schemas["TokensOutput"];
export type Token = Schemas["Token"];
export type KeyOutput = Schemas["KeyOutput"];
export type KeysOutput = Schemas["KeysOutput"];
export type Key = Schemas["Key"];
export type Scope = Key["scopes"][number];
export type UsersOutput = Schemas["UsersOutput"];
/** An account as administrators see it. */
export type Account = Schemas["Account"];
export type AccountUsage = Schemas["AccountUsage"];
export type AddUserOutput = Schemas["AddUserOutput"];
export type ResetPasswordOutput = Schemas["ResetPasswordOutput"];
/** The usage of an account by day or by model, and its quota. */
export type UsageOutput = Schemas["UsageOutput"];
export type UsageSum = Schemas["UsageSum"];
/** The usage of all users by day, by model or by user. */
export type TotalUsageOutput = Schemas["TotalUsageOutput"];
export type TotalUsageSum = Schemas["TotalUsageSum"];
export type AuditOutput = Schemas["AuditOutput"];
export type AuditEntry = Schemas["AuditEntry"];
/** The state of the server. */
export type Overview = Schemas["Overview"];
export type ReplicaState = Schemas["ReplicaState"];
export type DatabaseState = Schemas["DatabaseState"];
export type FilesState = Schemas["FilesState"];
export type ModelState = Schemas["ModelState"];
export type SearchState = Schemas["SearchState"];
export type OCRState = Schemas["OCRState"];
export type QueueLengths = Schemas["QueueLengths"];
export type ErrorCount = Schemas["ErrorCount"];
export type QuotaStatus = Schemas["QuotaStatus"];
export type QuotaPart = Schemas["QuotaPart"];
/** How many tokens a reply took. */
export type Usage = Schemas["Usage"];
/** The settings of the server that administrators can change. */
export type SettingsOutput = Schemas["SettingsOutput"];
export type ModelsOutput = Schemas["ModelsOutput"];
export type Model = Schemas["Model"];
export type CreateSessionOutput = Schemas["CreateSessionOutput"];
export type SessionsOutput = Schemas["SessionsOutput"];
export type Session = Schemas["Session"];
export type SearchOutput = Schemas["SearchOutput"];
export type Hit = Schemas["Hit"];
export type Match = Schemas["Match"];
export type MessagesOutput = Schemas["MessagesOutput"];
export type Message = Schemas["Message"];
/** A quote in a reply that was not found in the texts that it was based on. */
export type Quote = Schemas["Quote"];
export type Export = Schemas["Export"];
export type ForkOutput = Schemas["ForkOutput"];
export type ShareOutput = Schemas["ShareOutput"];
export type SharesOutput = Schemas["SharesOutput"];
export type Share = Schemas["Share"];
export type SharedSession = Schemas["SharedSession"];
export type SharedMessage = Schemas["SharedMessage"];
export type SendOutput = Schemas["SendOutput"];
export type AIResponse = Schemas["AIResponse"];
export type Source = Schemas["Source"];
export type Passage = Schemas["Passage"];
export type AddFavoriteOutput = Schemas["AddFavoriteOutput"];
export type FavoritesOutput = Schemas["FavoritesOutput"];
export type Favorite = Schemas["Favorite"];
export type PromptOutput = Schemas["PromptOutput"];
export type PromptsOutput = Schemas["PromptsOutput"];
export type Prompt = Schemas["Prompt"];
export type FilesOutput = Schemas["FilesOutput"];
export type FileText = Schemas["FileText"];
export type StartImportOutput = Schemas["StartImportOutput"];
/** The progress of an import, and its result. */
export type Import = Schemas["Import"];
/** A stored file. It is named File in the API's description. */
export type StoredFile = Schemas["File"];
