import type { SessionsQuery } from "@parley/client";

export type {
  Favorite,
  FileText,
  FileTextQuery,
  Hit,
  Import,
  Key as ApiKey,
  Match,
  Message,
  Model,
  Passage,
  Quote,
  QuotaPart,
  QuotaStatus,
  RegenerateInput as ReplyOptions,
  RegistrationStatus,
  Scope,
  SendOutput,
  Session,
  Share,
  SharedMessage,
  SharedSession,
  Source,
  StoredFile,
  StreamInput,
  Token as Login,
  UpdateSessionInput,
  UsageSum,
  UserInfo,
} from "@parley/client";

/** Which sessions to list. */
export type SessionFilter = Pick<NonNullable<SessionsQuery>, "pinned" | "archived">;
