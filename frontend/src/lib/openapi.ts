// The description of the API as a reader needs it: endpoints by subject, each with what it takes and an example of it.

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  items?: Schema;
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
}
interface Operation {
  description?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}
export interface Described {
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export interface Field {
  name: string;
  type: string;
  required: boolean;
  about: string;
}
export interface Endpoint {
  key: string;
  method: string;
  path: string;
  tag: string;
  about: string;
  fields: Field[];
  example: string | null;
  answer: string | null;
}

const nameOf = (schema: Schema | undefined): string => schema?.$ref?.split("/").pop() ?? "";

function typeOf(schema: Schema): string {
  if (schema.$ref) return nameOf(schema);
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].filter((entry) => entry !== "null").join(" | ");
  if (schema.enum) return schema.enum.map((entry) => JSON.stringify(entry)).join(" | ");
  if (schema.type === "array") return `${schema.items ? typeOf(schema.items) : "any"}[]`;
  return Array.isArray(schema.type) ? schema.type.join(" | ") : (schema.type ?? "any");
}

/** All endpoints, in the order of the description. */
export function endpointsOf(described: Described): Endpoint[] {
  return Object.entries(described.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Endpoint => {
      const form = described.components.schemas[nameOf(operation.requestBody?.content["application/json"]?.schema)];
      const parameters = (operation.parameters ?? []).map((entry): Field => ({
        name: entry.name,
        type: entry.schema ? typeOf(entry.schema) : "string",
        required: entry.required ?? false,
        about: entry.description ?? entry.in,
      }));
      const fields = Object.entries(form?.properties ?? {}).map(([name, schema]): Field => ({
        name,
        type: typeOf(schema),
        required: form?.required?.includes(name) ?? false,
        about: schema.description ?? "",
      }));
      const example = form?.examples?.[0];
      const answer = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))?.[1];
      return {
        key: `${method} ${path}`,
        method: method.toUpperCase(),
        path,
        tag: operation.tags?.[0] ?? "",
        about: operation.description ?? "",
        fields: [...parameters, ...fields],
        example: example === undefined ? null : curl(method, path, example),
        answer: nameOf(answer?.content?.["application/json"]?.schema) || null,
      };
    }),
  );
}

function curl(method: string, path: string, body: unknown): string {
  const json = JSON.stringify(body).replaceAll("'", "'\\''");
  return `curl -X ${method.toUpperCase()} ${location.origin}${path} -H 'Content-Type: application/json' -d '${json}'`;
}
