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

export interface Parameter {
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
  /** The place of the operation in the route table. */
  "x-order"?: number;
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

/** A response of one status and media type. */
export interface DocumentedResponse {
  status: string;
  description: string;
  type?: string;
  schema?: Schema;
  example?: unknown;
}

/** One operation, with its references resolved. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  secured: boolean;
  /** Whether it is for administrators, so that a trial account can't call it. */
  admin: boolean;
  /** The required ones come first. */
  parameters: Parameter[];
  /** The request body, if any. */
  body?: { kind: "json" | "form"; schema: Schema };
  /** The successes come first. */
  responses: DocumentedResponse[];
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
    operations: Object.entries(document.paths)
      .flatMap(([path, methods]) => Object.entries(methods).map(([method, raw]) => ({ path, method, raw })))
      .filter(({ raw }) => raw.tags[0] === name)
      .sort((a, b) => (a.raw["x-order"] ?? 0) - (b.raw["x-order"] ?? 0))
      .map(({ path, method, raw }) => operation(document, path, method.toUpperCase(), raw)),
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
    admin: path.startsWith("/api/admin/"),
    parameters: requiredFirst(raw.parameters ?? []),
    body: content && {
      kind: type === "multipart/form-data" ? "form" : "json",
      schema: resolve(document, content.schema),
    },
    responses: Object.entries(raw.responses).flatMap(([status, response]) => responsesOf(document, status, response)),
  };
}

function responsesOf(
  document: RawDocument,
  status: string,
  { description, content = {} }: RawOperation["responses"][string],
): DocumentedResponse[] {
  const list = Object.entries(content).map(([type, { schema, example }]) => ({
    status,
    description,
    type,
    schema: resolve(document, schema),
    example,
  }));
  return list.length > 0 ? list : [{ status, description }];
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

function requiredFirst<T extends { required?: boolean }>(list: T[]): T[] {
  return [...list.filter(({ required }) => required), ...list.filter(({ required }) => !required)];
}

/** A field of an object, or a parameter. */
export interface Field {
  name: string;
  type: string;
  required: boolean;
  description: string;
  schema: Schema;
  /** Where a parameter is given. */
  place?: Parameter["in"];
  /** The fields of an object or of the entries of a list. */
  fields: Field[];
}

/** Returns the fields of an object or of the entries of a list, the required ones first. */
export function fields(schema: Schema): Field[] {
  const { properties = {}, required = [] } = schema.items ?? schema;
  // The document sorts the properties by name, but keeps the order of the required ones.
  const names = [...required, ...Object.keys(properties).filter((name) => !required.includes(name))];
  return names.flatMap((name) => {
    const value = properties[name];
    if (!value) return [];
    const { description = "" } = value;
    const isRequired = required.includes(name);
    return { name, type: typeName(value), required: isRequired, description, schema: value, fields: fields(value) };
  });
}

/** Returns the parameters of an operation as fields. */
export function parameterFields(operation: Operation): Field[] {
  return operation.parameters.map(({ name, in: place, required = false, description = "", schema }) => ({
    name,
    type: typeName(schema),
    required,
    description,
    schema,
    place,
    fields: [],
  }));
}

/** Returns the fields of the body of an operation's success. */
export function resultFields(operation: Operation): Field[] {
  const body = operation.responses.find(({ schema }) => schema?.properties)?.schema?.properties?.body;
  return body ? fields(body) : [];
}

function typeName(schema: Schema): string {
  if (schema.items) return `${typeName(schema.items)}[]`;
  const type = Array.isArray(schema.type) ? schema.type.join(" | ") : (schema.type ?? (schema.properties && "object"));
  const choices = schema.enum?.map((choice) => JSON.stringify(choice)).join(" | ");
  return choices ?? (schema.format === "binary" ? "file" : (type ?? "any"));
}

/** Returns a value as it is written in a field or a URL. */
export function shownValue(value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value) && value.every((entry) => typeof entry === "string")) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns an example as text. */
export function shownExample(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
