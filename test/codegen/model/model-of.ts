/** Builds models of small descriptors for tests. */

import type { Problem } from '../../../codegen/diagnostics.ts';
import { buildServiceModel } from '../../../codegen/model/index.ts';
import type { OperationModel, Schema, ServiceModel } from '../../../codegen/model/types.ts';

/** The model of a document with these members; it is frozen all through, so that a change of it throws. */
export function modelOf(members: Readonly<Record<string, unknown>>): { model: ServiceModel; problems: Problem[] } {
  const document = { openapi: '3.1.0', info: { title: 'Notes', version: '1' }, paths: {}, ...members };
  return buildServiceModel({ name: 'notes', file: 'specs/notes/openapi.yaml', document: freeze(document) });
}

/** The model of `GET /notes/{id}` with these members, beside its path item's and the document's. */
export function operationOf(
  operation: Readonly<Record<string, unknown>>,
  pathItem: Readonly<Record<string, unknown>> = {},
  members: Readonly<Record<string, unknown>> = {},
): { operation: OperationModel; problems: Problem[] } {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const item = { ...pathItem, parameters: [id, ...((pathItem.parameters as unknown[]) ?? [])], get: operation };
  const { model, problems } = modelOf({ ...members, paths: { '/notes/{id}': item } });
  const [built] = model.operations;
  if (built === undefined) throw new Error('The document has no operation.');
  return { operation: built, problems };
}

/** The normalized `#/components/schemas/Given`. */
export function schemaOf(given: unknown, openapi = '3.1.0'): { schema: Schema; problems: Problem[] } {
  const response = {
    description: 'Done.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Given' } } },
  };
  const { model, problems } = modelOf({
    openapi,
    paths: { '/notes': { get: { responses: { '200': response } } } },
    components: { schemas: { Given: given, Other: { type: 'string' } } },
  });
  return { schema: model.resolve('#/components/schemas/Given'), problems };
}

/** `code pointer` of each problem. */
export function places(problems: readonly Problem[]): string[] {
  return problems.map(({ code, pointer }) => `${code} ${pointer}`.trim());
}

function freeze<T>(value: T): T {
  if (value !== null && typeof value === 'object') {
    Object.values(value).forEach(freeze);
    Object.freeze(value);
  }
  return value;
}
