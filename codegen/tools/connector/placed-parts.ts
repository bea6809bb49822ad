/** Parts of a credential in paths and bodies: the operations that carry them, if any. */

import type { OperationModel, ServiceModel } from '../../model/types.ts';
import { type Reporter, suggest, toShortList } from '../problems.ts';
import { findMember } from '../request/credential-places.ts';
import { mergeAllOf } from '../schema/merge.ts';
import { schemaMap } from '../schema/readers.ts';
import type { CredentialKind, CredentialPart } from '../types.ts';
import { placeOf } from './credential-parts.ts';
import { operationKey } from './tool-names.ts';

type Kind = Pick<CredentialKind, 'parts'>;

/**
 * Reports parts without a place in any operation, one place under several ids, and operations that carry no part of a
 * kind.
 *
 * @param kinds of which users choose one
 */
export function checkPlacedParts(
  kinds: readonly Kind[],
  operations: readonly OperationModel[],
  { resolve }: Pick<ServiceModel, 'resolve'>,
  report: Reporter,
): void {
  const ids = new Map<string, string>();
  for (const [at, { parts }] of kinds.entries()) {
    const path = at === 0 ? ['credential', 'parts'] : ['credential', 'alternatives', at - 1, 'parts'];
    const placed = parts.filter(isPlaced);
    for (const part of placed) {
      const where = [...path, parts.indexOf(part)];
      const owner = ids.get(placeOf(part)) ?? part.id;
      ids.set(placeOf(part), owner);
      if (owner !== part.id) {
        const message = `${toWords(part)} is filled by ${owner} and by ${part.id}.`;
        report.config('config-credential', where, message, `Give both the id ${owner}.`);
      }
      if (operations.length === 0 || operations.some((operation) => carries(operation, part, resolve))) continue;
      const fix = suggest(
        part.name,
        operations.flatMap((operation) => namesIn(operation, part.type, resolve)),
        NO_PLACE,
      );
      report.config('config-credential', where, `No operation with a tool has ${toWords(part)}.`, fix);
    }
    if (placed.length === 0 || placed.length < parts.length) continue;
    const without = operations.filter((operation) => !placed.some((part) => carries(operation, part, resolve)));
    if (without.length === 0 || without.length === operations.length) continue;
    const names = toShortList(without.map(operationKey));
    report.config(
      'credential-not-sent',
      path,
      `${without.length} operations carry no part of the credential: ${names}.`,
    );
  }
}

/** Reports places that no operation has. @param places such as `query token` */
export function checkRepeated(
  places: readonly string[],
  operations: readonly OperationModel[],
  { resolve }: Pick<ServiceModel, 'resolve'>,
  report: Reporter,
): void {
  for (const [index, place] of places.entries()) {
    const [, type = '', name = ''] = /^(\w+) (.*)$/s.exec(place) ?? [];
    const isThere = ({ parameters, body }: OperationModel) =>
      type === 'body'
        ? (body?.contents ?? []).some(({ schema }) => schema !== null && findMember(schema, name, resolve) !== null)
        : parameters.some((one) => one.in === type && one.name === name);
    if (operations.length === 0 || operations.some(isThere)) continue;
    report.config(
      'config-credential',
      ['credential', 'repeated', index],
      `No operation with a tool has ${type}.${name}.`,
      'Remove it.',
    );
  }
}

const NO_PLACE = 'An overlay can add it to the descriptor.';

type Placed = CredentialPart & { readonly type: 'path' | 'body'; readonly name: string };

function isPlaced(part: CredentialPart): part is Placed {
  return (part.type === 'path' || part.type === 'body') && part.name !== null;
}

function carries(operation: OperationModel, { type, name }: Placed, resolve: ServiceModel['resolve']): boolean {
  if (type === 'path') return namesIn(operation, type, resolve).includes(name);
  const contents = operation.body?.contents ?? [];
  return contents.some(({ schema }) => schema !== null && findMember(schema, name, resolve) !== null);
}

function namesIn(operation: OperationModel, type: Placed['type'], resolve: ServiceModel['resolve']): readonly string[] {
  if (type === 'path') {
    return operation.parameters.flatMap(({ in: place, name }) => (place === 'path' ? [name] : []));
  }
  const contents = operation.body?.contents ?? [];
  return contents.flatMap(({ schema }) =>
    schemaMap(mergeAllOf(schema ?? {}, resolve).schema, 'properties').map(([name]) => name),
  );
}

function toWords({ type, name }: Placed): string {
  return type === 'path' ? `a path parameter ${name}` : `a member ${name} in its body`;
}
