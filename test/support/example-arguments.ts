/** Derives arguments for a tool from its input schema. */

import { fakeBody } from '../../sandbox/answer/fake-body.ts';
import { isObject } from '../../sandbox/json.ts';
import type { Tool } from '../../server/contract/index.ts';

/** Whether the gateway itself consumes the argument. */
export function isForGateway({ gatewayArguments = [] }: Tool, name: string): boolean {
  return gatewayArguments.some((own) => own === name);
}

/** The first example, default or allowed value of each argument that is sent; `required` omits optional ones. */
export function exampleArguments(tool: Tool, which: 'required' | 'all'): Record<string, unknown> {
  const { properties, required } = tool.inputSchema;
  const all = Object.keys(toObject(properties)).filter((name) => !isForGateway(tool, name));
  const names = which === 'required' ? (Array.isArray(required) ? required : []) : all;
  return Object.fromEntries(
    names.map((name) => [name, exampleValue(tool, name, toObject(toObject(properties)[name]))]),
  );
}

/** Values whose format the descriptors require and the tools leave to the service. */
const VALUES: Readonly<Record<string, unknown>> = {
  datatableCode: 'QUOTEMEDIA/PRICES',
  vendorCode: 'QUOTEMEDIA',
  tableCode: 'PRICES',
};
const ID = 'd7abd0cd-4ae9-4db7-8676-e986a4ebd8dc';

function exampleValue(tool: Tool, name: string, schema: Record<string, unknown>): unknown {
  if (VALUES[name] !== undefined) return VALUES[name];
  if (schema.contentEncoding === 'base64') return 'aGVsbG8=';
  if (name.endsWith('Id') && [schema.type].flat().includes('string')) return ID;
  const [example] = Array.isArray(schema.examples) ? schema.examples : [];
  const [allowed] = Array.isArray(schema.enum) ? schema.enum : [];
  return example ?? schema.default ?? allowed ?? fakeBody(schema, { ...tool.inputSchema }, () => true);
}

function toObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
