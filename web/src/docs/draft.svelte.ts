import { type Field, fields, type Operation, parameterFields, shownValue } from "./document";

/** The optional inputs that a request starts with, because it would do nothing or be refused without them. */
const suggestions: Record<string, string> = {
  createSession: "title",
  updatePrompt: "name",
  updateSession: "title",
  updateProfile: "nickname",
  stream: "content",
};

/** A request that the user edits. Inputs without a value show their examples in the samples. */
export class Draft {
  /** The inputs as they were entered, by name: the parameters and the fields of the body. Empty ones are not sent. */
  values: Record<string, string> = $state({});
  /** The body if it is edited as JSON. */
  json: string | null = $state(null);
  file: File | null = $state(null);
  /** The values that were filled in for the user. */
  readonly filled: Record<string, string> = $state({});

  readonly parameterFields: Field[];
  readonly bodyFields: Field[];

  constructor(readonly operation: Operation) {
    this.parameterFields = parameterFields(operation);
    this.bodyFields = operation.body ? fields(operation.body.schema) : [];
    for (const { name, required, schema } of this.inputs) {
      const suggested = (required && !isPersonal(name)) || suggestions[operation.id] === name;
      this.values[name] = suggested ? shownValue(schema.examples?.[0]) : "";
    }
  }

  get inputs(): Field[] {
    const names = new Set(this.parameterFields.map(({ name }) => name));
    return [...this.parameterFields, ...this.bodyFields.filter(({ name }) => !names.has(name))];
  }

  /** The path and the query. */
  get url(): string {
    let path = this.operation.path;
    const query = new URLSearchParams();
    for (const field of this.parameterFields) {
      const value = this.#shown(field);
      if (field.place === "path") path = path.replace(`{${field.name}}`, encodeURIComponent(value));
      if (field.place === "query" && value) query.append(field.name, value);
    }
    return query.size > 0 ? `${path}?${query}` : path;
  }

  /** The headers except Authorization and Content-Type. */
  get headers(): [string, string][] {
    return this.parameterFields
      .filter(({ name, place }) => place === "header" && this.values[name])
      .map(({ name }) => [name, this.values[name]!]);
  }

  /** The JSON body, or "" if there is none. */
  get body(): string {
    if (this.operation.body?.kind !== "json") return "";
    if (this.json !== null) return this.json;
    const object = this.#object();
    return Object.keys(object).length > 0 ? JSON.stringify(object, null, 2) : "";
  }

  /** The body on one line, or unchanged if it is not JSON. */
  get compactBody(): string {
    try {
      return JSON.stringify(JSON.parse(this.body));
    } catch {
      return this.body;
    }
  }

  /** Returns the value to show for an input: what was entered, or the example of a required one. */
  shown(name: string): string {
    const field = this.inputs.find((input) => input.name === name);
    return field ? this.#shown(field) : "";
  }

  #shown({ name, required, schema }: Field): string {
    const value = this.values[name];
    if (value) return value;
    return required || this.#isOnlyInput(name) ? shownValue(schema.examples?.[0]) : "";
  }

  /** Reports whether a request without this input makes no sense, although it may be given in either of two places. */
  #isOnlyInput(name: string): boolean {
    return this.inputs.length === 1 && isId(name);
  }

  #object(): Record<string, unknown> {
    const parameters = new Set(this.parameterFields.map(({ name }) => name));
    const entries = this.bodyFields
      .filter(({ name }) => !parameters.has(name))
      .map((field) => [field.name, typed(field, this.#shown(field))] as const)
      .filter(([, value]) => value !== "");
    return Object.fromEntries(entries);
  }

  /** Begins to edit the body as JSON, or returns to the fields. Returns false if the JSON is no object. */
  edit(asJson: boolean): boolean {
    if (asJson) {
      this.json = this.body || "{}";
      return true;
    }
    try {
      const object = JSON.parse(this.json ?? "{}") as Record<string, unknown>;
      if (typeof object !== "object" || object === null) return false;
      for (const { name } of this.bodyFields) this.values[name] = shownValue(object[name]);
      this.json = null;
      return true;
    } catch {
      return false;
    }
  }

  /** Fills in a value for the user. It can be replaced until the user changes it. */
  fill(name: string, value: string): void {
    this.values[name] = value;
    this.filled[name] = value;
  }

  /** Reports whether an input is empty or was filled in. */
  isOpen(name: string): boolean {
    const value = this.values[name] ?? "";
    return value === "" || value === this.filled[name];
  }
}

export const isId = (name: string) => name.endsWith("_id");

/** Reports whether an input depends on the user, so that its example would not work. */
const isPersonal = (name: string) => isId(name) || /^(email|password|old_password|code)$/.test(name);

function typed({ schema }: Field, value: string): unknown {
  if (schema.type === "boolean") return value === "true" ? true : "";
  if (schema.type === "integer" || schema.type === "number") return value === "" ? "" : Number(value);
  if (schema.type === "array") return value === "" ? "" : value.split(",").map((entry) => entry.trim());
  return value;
}
