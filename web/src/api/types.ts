export type {
  Favorite,
  Message,
  Model,
  Passage,
  RegenerateInput as ReplyOptions,
  SendOutput,
  Session,
  Source,
  StoredFile,
  StreamInput,
  Token as Login,
  UserInfo,
} from "@parley/client";
