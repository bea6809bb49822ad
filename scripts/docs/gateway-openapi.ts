/** The description of the HTTP API: what is written by hand of MCP, OAuth and probes, and what the operations of the partner API say of themselves. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { withoutUndefined } from '../../codegen/json.ts';
import { isUserId, MAX_USER_ID_LENGTH } from '../../server/identity/partners/user-id.ts';
import type { AnyModule } from '../../server/module.ts';
import { MODULES } from '../../server/modules/index.ts';
import { PARTNER_OPERATIONS } from '../../server/partners/index.ts';
import { type OperationShape, PARTNER_API_PATH } from '../../server/partners/operation.ts';

type Json = Readonly<Record<string, unknown>>;

interface Document {
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Json>>;
    readonly schemas: Readonly<Record<string, Json>>;
  };
}

const WRITTEN_BY_HAND = path.join(import.meta.dirname, 'gateway-openapi.yaml');
const NOTICE =
  '# Written by `npm run docs` from scripts/docs/gateway-openapi.yaml and the operations in server/. Do not edit.\n';

const WIDE_STATUSES: Readonly<Record<number, string>> = { 403: 'PartnerSuspended' };

/** The text of `docs/reference/gateway-openapi.yaml`. @param modules whose operations it describes. Default: those that ship. */
export async function emitGatewayDescription(modules: readonly AnyModule[] = MODULES): Promise<string> {
  const document = parse(readFileSync(WRITTEN_BY_HAND, 'utf8')) as Document;
  const schemas: Record<string, Json> = {};
  const parameters: Record<string, Json> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  const moduleOperations = await Promise.all(modules.map(async ({ operations }) => (await operations?.()) ?? []));
  for (const shape of [...PARTNER_OPERATIONS, ...moduleOperations.flat()]) {
    const route = PARTNER_API_PATH + shape.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[route] = { ...paths[route], [shape.method]: toOperation(shape, { schemas, parameters }) };
  }
  nameEventTypes(schemas, modules);
  const { components } = document;
  return (
    NOTICE +
    stringify(
      {
        ...document,
        paths: { ...document.paths, ...paths },
        components: {
          ...components,
          parameters: { ...components.parameters, ...parameters },
          schemas: { ...components.schemas, ...schemas },
        },
      },
      { aliasDuplicateObjects: false, lineWidth: 120 },
    )
  );
}

/** The events that partners can receive are those of the modules. */
function nameEventTypes({ Event: event }: Record<string, Json>, modules: readonly AnyModule[]): void {
  if (event === undefined) return;
  const properties = event.properties as Record<string, Json>;
  const types = modules.flatMap(({ events }) => Object.keys(events?.toPartners ?? {}));
  properties.type = { ...properties.type, enum: types };
}

/** Named shapes, to which each operation adds its own. */
interface NamedComponents {
  readonly schemas: Record<string, Json>;
  readonly parameters: Record<string, Json>;
}

function toOperation(shape: OperationShape, components: NamedComponents): Json {
  const { id, summary, credentials, answers, answer } = shape;
  const pathNames = [...shape.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const parameters = [
    ...pathNames.map((name) => ({
      name,
      in: 'path',
      required: true,
      ...toParameter(shape.params?.[name] ?? (name === 'user_id' ? userId : z.string())),
    })),
    ...Object.entries(shape.query ?? {}).map(([name, schema]) => toQueryParameter(name, schema, components)),
  ];
  const content =
    answer === undefined ? undefined : toContent(['application/json'], toSchema(answer, 'output', components));
  return withoutUndefined({
    tags: ['Partners'],
    operationId: id,
    summary,
    security: credentials === 'header' ? [{ client: [] }] : [{ client: [] }, {}],
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: toRequestBody(shape, components),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, description]) => [status, withoutUndefined({ description, content })]),
      ),
      ...Object.fromEntries(
        refusalsOf(shape, pathNames).map((status) => [
          status,
          { $ref: `#/components/responses/${WIDE_STATUSES[status] ?? 'Error'}` },
        ]),
      ),
    },
  });
}

function toRequestBody({ body, file }: OperationShape, components: NamedComponents): Json | undefined {
  if (file !== undefined) return { required: true, description: file.description, content: toContent(file.types, {}) };
  if (body === undefined) return undefined;
  const types = ['application/json'];
  if (body.form === true) types.push('application/x-www-form-urlencoded');
  return {
    required: body.isOptional !== true,
    content: toContent(types, toSchema(body.schema, 'input', components)),
  };
}

const userId = z.string().refine(isUserId).meta({ minLength: 1, maxLength: MAX_USER_ID_LENGTH });

function refusalsOf({ query, body, file, refusals = [] }: OperationShape, pathNames: readonly string[]): number[] {
  const canBeInvalid = query !== undefined || body !== undefined || file !== undefined || pathNames.includes('user_id');
  const statuses = new Set([401, 403, 429, ...refusals]);
  if (canBeInvalid) statuses.add(400);
  return [...statuses].sort((a, b) => a - b);
}

function toContent(types: readonly string[], schema: Json): Json {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function toQueryParameter(name: string, schema: z.ZodType, components: NamedComponents): Json {
  const id = z.globalRegistry.get(schema)?.id;
  const parameter = { name, in: 'query', ...toParameter(schema) };
  if (id === undefined) return parameter;
  components.parameters[id] = parameter;
  return { $ref: `#/components/parameters/${id}` };
}

function toParameter(schema: z.ZodType): Json {
  const id = z.globalRegistry.get(schema)?.id ?? '';
  const { $defs, ...rootSchema } = toRaw(schema, 'input');
  const { description, ...rest } = toLocal(id === '' ? rootSchema : ($defs?.[id] ?? rootSchema));
  return withoutUndefined({ description, schema: rest });
}

/** Returns the JSON Schema of a shape. Shapes with a name are added to `components`, and referred to. */
function toSchema(schema: z.ZodType, io: 'input' | 'output', { schemas }: NamedComponents): Json {
  const { $defs = {}, ...rootSchema } = toRaw(schema, io);
  for (const [name, definition] of Object.entries($defs)) schemas[name] = toLocal(definition);
  return toLocal(rootSchema);
}

function toRaw(schema: z.ZodType, io: 'input' | 'output'): Json & { readonly $defs?: Readonly<Record<string, Json>> } {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, override: tidy });
  return rest as Json;
}

/** Writes what may be null in one type where JSON Schema allows it, and what `meta` replaces. */
function tidy({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema.propertyNames;
  const { schema, anyOf, ...rest } = jsonSchema as { schema?: Json; anyOf?: Json[] };
  const [first, second] = anyOf ?? [];
  if (schema !== undefined) {
    const { description } = jsonSchema;
    for (const name of Object.keys(jsonSchema)) delete jsonSchema[name];
    Object.assign(jsonSchema, schema, description === undefined ? {} : { description });
  } else if (typeof first?.type === 'string' && second?.type === 'null' && anyOf?.length === 2) {
    delete jsonSchema.anyOf;
    Object.assign(jsonSchema, { ...first, ...rest, type: [first.type, 'null'] });
  }
}

function toLocal(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
