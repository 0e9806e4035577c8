import { example, type Operation, shownValue } from "./document";

/** A request that the user edits. It starts with the examples of the document. */
export class Draft {
  parameters: Record<string, string> = $state({});
  body = $state("");
  file: File | null = $state(null);

  constructor(readonly operation: Operation) {
    for (const { name, required, schema } of operation.parameters) {
      this.parameters[name] = required ? shownValue(schema.examples?.[0]) : "";
    }
    if (operation.body?.kind === "json") this.body = JSON.stringify(example(operation.body.schema), null, 2);
    if (operation.body?.kind === "form") this.parameters.session_id = "";
  }

  get url(): string {
    let path = this.operation.path;
    const query = new URLSearchParams();
    for (const parameter of this.operation.parameters) {
      const value = this.parameters[parameter.name] ?? "";
      if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
      if (parameter.in === "query" && value) query.append(parameter.name, value);
    }
    return query.size > 0 ? `${path}?${query}` : path;
  }

  /** The headers except Authorization and Content-Type. */
  get headers(): [string, string][] {
    return this.operation.parameters
      .filter((parameter) => parameter.in === "header" && this.parameters[parameter.name])
      .map(({ name }) => [name, this.parameters[name]!]);
  }

  /** The body on one line, or unchanged if it is not JSON. */
  get compactBody(): string {
    try {
      return JSON.stringify(JSON.parse(this.body));
    } catch {
      return this.body;
    }
  }
}
