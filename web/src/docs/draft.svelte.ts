import { example, type Operation } from "./document";

/** A request in the making: what the reader has filled in, beginning with examples. */
export class Draft {
  parameters: Record<string, string> = $state({});
  body = $state("");
  file: File | null = $state(null);

  constructor(readonly operation: Operation) {
    for (const { name, required, schema } of operation.parameters) {
      this.parameters[name] = required ? String(schema.examples?.[0] ?? "") : "";
    }
    if (operation.body?.kind === "json") this.body = JSON.stringify(example(operation.body.schema), null, 2);
    if (operation.body?.kind === "form") this.parameters.session_id = "";
  }

  get url(): string {
    const of = (place: string) => this.operation.parameters.filter((parameter) => parameter.in === place);
    let path = this.operation.path;
    for (const { name } of of("path")) path = path.replace(`{${name}}`, encodeURIComponent(this.parameters[name] ?? ""));
    const query = new URLSearchParams(of("query").flatMap(({ name }) => (this.parameters[name] ? [[name, this.parameters[name]]] : [])));
    return query.size > 0 ? `${path}?${query}` : path;
  }

  /** The headers beside those of the token and of the body. */
  get headers(): [string, string][] {
    return this.operation.parameters
      .filter((parameter) => parameter.in === "header" && this.parameters[parameter.name])
      .map(({ name }) => [name, this.parameters[name]!]);
  }

  /** The body without its line breaks; as it stands where it is no JSON. */
  get compactBody(): string {
    try {
      return JSON.stringify(JSON.parse(this.body));
    } catch {
      return this.body;
    }
  }
}
