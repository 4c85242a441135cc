// The OpenAPI description prepared for display: endpoints with their tag, fields and an example.

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
export interface ApiDescription {
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
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].filter((type) => type !== "null").join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.type === "array") return `${schema.items ? typeOf(schema.items) : "any"}[]`;
  return Array.isArray(schema.type) ? schema.type.join(" | ") : (schema.type ?? "any");
}

/** All endpoints, in the order of the description. */
export function endpointsOf(description: ApiDescription): Endpoint[] {
  return Object.entries(description.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Endpoint => {
      const body = description.components.schemas[nameOf(operation.requestBody?.content["application/json"]?.schema)];
      const parameters = (operation.parameters ?? []).map((parameter): Field => ({
        name: parameter.name,
        type: parameter.schema ? typeOf(parameter.schema) : "string",
        required: parameter.required ?? false,
        about: parameter.description ?? parameter.in,
      }));
      const fields = Object.entries(body?.properties ?? {}).map(([name, schema]): Field => ({
        name,
        type: typeOf(schema),
        required: body?.required?.includes(name) ?? false,
        about: schema.description ?? "",
      }));
      const example = body?.examples?.[0];
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
