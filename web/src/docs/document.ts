/** The parts of openapi.json that the reference shows. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
  enum?: unknown[];
  examples?: unknown[];
  default?: unknown;
  format?: string;
  minimum?: number;
  minLength?: number;
  maxLength?: number;
}

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Record<string, { schema: Schema; example?: unknown }>;

interface RawOperation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
  security?: unknown[];
}

export interface RawDocument {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, RawOperation>>;
  components: { schemas: Record<string, Schema> };
}

/** One operation, with its references resolved. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  secured: boolean;
  parameters: Parameter[];
  /** The request body, if any. */
  body?: { kind: "json" | "form"; schema: Schema };
  responses: { status: string; description: string; type?: string; schema?: Schema }[];
}

export interface Group {
  name: string;
  description: string;
  operations: Operation[];
}

/** Returns the operations grouped by tag, in the order of the document's tags. */
export function groups(document: RawDocument): Group[] {
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, raw]) => raw.tags[0] === name)
        .map(([method, raw]) => operation(document, path, method.toUpperCase(), raw)),
    ),
  }));
}

function operation(document: RawDocument, path: string, method: string, raw: RawOperation): Operation {
  const [type, content] = Object.entries(raw.requestBody?.content ?? {})[0] ?? [];
  return {
    id: raw.operationId,
    method,
    path,
    summary: raw.summary,
    description: raw.description,
    secured: (raw.security ?? []).length > 0,
    parameters: raw.parameters ?? [],
    body: content && {
      kind: type === "multipart/form-data" ? "form" : "json",
      schema: resolve(document, content.schema),
    },
    responses: Object.entries(raw.responses).map(([status, response]) => {
      const [responseType, body] = Object.entries(response.content ?? {})[0] ?? [];
      const schema = body && resolve(document, body.schema);
      return { status, description: response.description, type: responseType, schema };
    }),
  };
}

/** Replaces all references in a schema. */
export function resolve(document: RawDocument, schema: Schema): Schema {
  const name = schema.$ref?.split("/").at(-1);
  const target = name ? document.components.schemas[name] : undefined;
  const whole = target ? { ...target, description: schema.description ?? target.description } : schema;
  return {
    ...whole,
    properties: whole.properties && mapValues(whole.properties, (value) => resolve(document, value)),
    items: whole.items && resolve(document, whole.items),
  };
}

function mapValues<T, U>(object: Record<string, T>, convert: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, convert(value)]));
}

/** Builds a value of the schema from its examples. */
export function example(schema: Schema): unknown {
  if (schema.examples?.length) return schema.examples[0];
  if (schema.properties) return mapValues(schema.properties, example);
  if (schema.items) return [example(schema.items)];
  return schema.default ?? schema.enum?.[0] ?? "";
}

/** A field of an object. */
export interface Field {
  name: string;
  depth: number;
  type: string;
  required: boolean;
  description: string;
}

export function fields(schema: Schema, depth = 0): Field[] {
  const inner = schema.items ?? schema;
  return Object.entries(inner.properties ?? {}).flatMap(([name, value]) => [
    {
      name,
      depth,
      type: typeName(value),
      required: inner.required?.includes(name) ?? false,
      description: value.description ?? "",
    },
    ...fields(value, depth + 1),
  ]);
}

export function typeName(schema: Schema): string {
  if (schema.items) return `${typeName(schema.items)}[]`;
  const type = Array.isArray(schema.type) ? schema.type.join(" | ") : (schema.type ?? "any");
  const choices = schema.enum?.map((choice) => JSON.stringify(choice)).join(" | ");
  return choices ?? (schema.format === "binary" ? "file" : type);
}

/** Returns a value as it is written in a field or a URL. */
export function shownValue(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
