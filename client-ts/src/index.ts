export { Client } from "./client.js";
export { Download } from "./download.js";
export { ApiError, ErrorCode } from "./error.js";
export type { FollowOptions, SendOptions } from "./replies.js";
export { type ReplyEvent, ReplyStream, type StreamOptions } from "./stream.js";
export type { CallOptions, ClientOptions, RequestOptions } from "./transport.js";
export type * from "./types.js";
export type { ImportOptions, NamedBlob, ReadingProgress, UploadOptions } from "./upload.js";
