import type { components } from "./schema";

type Schemas = components["schemas"];

export type Message = Schemas["Message"];
export type Session = Schemas["Session"];
export type Model = Schemas["Model"];
export type Source = Schemas["Source"];
export type Passage = Schemas["Passage"];
export type Favorite = Schemas["Favorite"];
export type StoredFile = Schemas["File"];
export type Login = Schemas["Token"];
export type UserInfo = Schemas["UserInfo"];
export type SendInput = Schemas["SendInput"];
export type SendOutput = Schemas["SendOutput"];
export type ReplyOptions = Schemas["RegenerateInput"];
export type Failure = Schemas["Failure"];
