/** Parts of a credential in paths and bodies: the operations that carry them, if any. */

import type { CredentialConfig } from '../../load/credential-config.ts';
import type { OperationModel, ServiceModel } from '../../model/types.ts';
import { type Reporter, suggest, toShortList } from '../problems.ts';
import { findMember } from '../request/credential-places.ts';
import { mergeAllOf } from '../schema/merge.ts';
import { schemaMap } from '../schema/readers.ts';
import type { CredentialPart, UnlabelledKind } from '../types.ts';
import { placeOf, placeOfParameter } from './credential-parts.ts';
import { operationKey } from './tool-names.ts';

/**
 * Reports parts without a place in any operation, one place under several ids, and operations that carry no part of a
 * kind.
 *
 * @param kinds of which users choose one, built from `config`
 */
export function checkPlacedParts(
  { kinds, config }: { readonly kinds: readonly UnlabelledKind[]; readonly config: CredentialConfig },
  operations: readonly OperationModel[],
  { resolve }: ServiceModel,
  report: Reporter,
): void {
  const idsByPlace = new Map<string, string>();
  // Every kind has the parts of `also`.
  const checkedParts = new Set<CredentialPart>();
  for (const [index, { parts }] of kinds.entries()) {
    const path = index === 0 ? ['credential', 'parts'] : ['credential', 'alternatives', index - 1, 'parts'];
    const placedParts = parts.filter(isPlaced);
    for (const part of placedParts.filter((each) => !checkedParts.has(each))) {
      checkedParts.add(part);
      const partPath =
        findInConfig(part, config.also, ['credential', 'also']) ??
        findInConfig(part, kindOf(config, index).parts, path) ??
        path;
      const owner = idsByPlace.get(placeOf(part)) ?? part.id;
      idsByPlace.set(placeOf(part), owner);
      if (owner !== part.id) {
        const message = `${describePart(part)} is filled by ${owner} and by ${part.id}.`;
        report.config('config-credential', partPath, message, `Give both the id ${owner}.`);
      }
      if (operations.length === 0 || operations.some((operation) => carries(operation, part, resolve))) continue;
      const fix = suggest(
        part.name,
        operations.flatMap((operation) => namesIn(operation, part.type, resolve)),
        NO_PLACE,
      );
      report.config('config-credential', partPath, `No operation with a tool has ${describePart(part)}.`, fix);
    }
    if (placedParts.length === 0 || placedParts.length < parts.length) continue;
    const operationsWithoutPart = operations.filter(
      (operation) => !placedParts.some((part) => carries(operation, part, resolve)),
    );
    if (operationsWithoutPart.length === 0 || operationsWithoutPart.length === operations.length) continue;
    const names = toShortList(operationsWithoutPart.map(operationKey));
    report.config(
      'credential-not-sent',
      path,
      `${operationsWithoutPart.length} operations carry no part of the credential: ${names}.`,
    );
  }
}

/** Reports places that no operation has. @param places such as `query token`; names of headers in lower case */
export function checkRepeated(
  places: readonly string[],
  operations: readonly OperationModel[],
  { resolve }: ServiceModel,
  report: Reporter,
): void {
  for (const [index, place] of places.entries()) {
    const [, type = '', name = ''] = /^(\w+) (.*)$/s.exec(place) ?? [];
    const hasPlace = ({ parameters, body }: OperationModel) =>
      type === 'body'
        ? (body?.contents ?? []).some(({ schema }) => schema !== null && findMember(schema, name, resolve) !== null)
        : parameters.some((parameter) => placeOfParameter(parameter) === place);
    if (operations.length === 0 || operations.some(hasPlace)) continue;
    report.config(
      'config-credential',
      ['credential', 'repeated', index],
      `No operation with a tool has ${type}.${name}.`,
      'Remove it.',
    );
  }
}

type PartConfigs = CredentialConfig['also'];

function kindOf(config: CredentialConfig, index: number): { readonly parts?: PartConfigs } {
  return (index === 0 ? config : config.alternatives?.[index - 1]) ?? {};
}

/** Where connector.yaml describes a part; undefined if not in this list. */
function findInConfig({ id, type, name }: PlacedPart, list: PartConfigs = [], path: readonly (string | number)[]) {
  const index = list.findIndex((entry) => entry.id === id && entry.type === type && entry.name === name);
  return index === -1 ? undefined : [...path, index];
}

const NO_PLACE = 'An overlay can add it to the descriptor.';

type PlacedPart = CredentialPart & { readonly type: 'path' | 'body'; readonly name: string };

function isPlaced(part: CredentialPart): part is PlacedPart {
  return (part.type === 'path' || part.type === 'body') && part.name !== null;
}

function carries(operation: OperationModel, { type, name }: PlacedPart, resolve: ServiceModel['resolve']): boolean {
  if (type === 'path') return namesIn(operation, type, resolve).includes(name);
  const contents = operation.body?.contents ?? [];
  return contents.some(({ schema }) => schema !== null && findMember(schema, name, resolve) !== null);
}

function namesIn(
  operation: OperationModel,
  type: PlacedPart['type'],
  resolve: ServiceModel['resolve'],
): readonly string[] {
  if (type === 'path') {
    return operation.parameters.flatMap(({ in: place, name }) => (place === 'path' ? [name] : []));
  }
  const contents = operation.body?.contents ?? [];
  return contents.flatMap(({ schema }) =>
    schemaMap(mergeAllOf(schema ?? {}, resolve).schema, 'properties').map(([name]) => name),
  );
}

function describePart({ type, name }: PlacedPart): string {
  return type === 'path' ? `a path parameter ${name}` : `a member ${name} in its body`;
}
