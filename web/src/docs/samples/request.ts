import type { Operation } from "../document";

/** The request that a sample shows. A Draft is one. */
export interface Request {
  operation: Operation;
  url: string;
  headers: [string, string][];
  /** The JSON body, or "". */
  body: string;
  compactBody: string;
  shown(name: string): string;
}

export const isStream = (operation: Operation) => operation.responses[0]?.type === "text/event-stream";
export const isJson = (operation: Operation) => operation.responses[0]?.type === "application/json";
