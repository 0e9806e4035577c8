export type {
  Favorite,
  Message,
  Model,
  Passage,
  RegenerateInput as ReplyOptions,
  SendInput,
  SendOutput,
  Session,
  Source,
  StoredFile,
  Token as Login,
  UserInfo,
} from "@parley/client";
