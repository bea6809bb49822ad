/** Selects the operations of a connector by `expose` in connector.yaml. */

import type { SelectionConfig } from '../../load/config/expose.ts';
import type { OperationModel, ServiceModel } from '../../model/types.ts';
import { inferEffect } from '../effect/infer.ts';
import { type Reporter, suggest } from '../problems.ts';
import { operationKey } from './tool-names.ts';

/** Reports each entry that matches no operation, and a selection that matches none as a whole. */
export function selectOperations(
  selection: SelectionConfig | undefined,
  { operations, resolve }: ServiceModel,
  report: Reporter,
): (operation: OperationModel) => boolean {
  if (selection === undefined) return () => true;
  const patterns = selection.operations?.map(toPattern);
  const isNamed = (operation: OperationModel) => patterns?.some((pattern) => matches(pattern, operation)) ?? true;
  const isTagged = ({ tags }: OperationModel) => selection.tags?.some((tag) => tags.includes(tag)) ?? true;
  const isRead = (operation: OperationModel) =>
    selection.readOnly !== true || inferEffect(operation, resolve).effect === 'reads';
  const problems = report.problems.length;
  for (const [index, pattern] of (patterns ?? []).entries()) {
    if (operations.some((operation) => matches(pattern, operation))) continue;
    const glob = selection.operations?.[index] ?? '';
    const fix = suggest(glob, namesLike(glob, operations), 'The descriptor has no operations.');
    report.config('config-expose-unmatched', ['expose', 'operations', index], `No operation matches ${glob}.`, fix);
  }
  for (const [index, tag] of (selection.tags ?? []).entries()) {
    if (operations.some(({ tags }) => tags.includes(tag))) continue;
    const allTags = operations.flatMap(({ tags }) => tags);
    const fix = suggest(tag, allTags, 'The descriptor has no tags: name operations.');
    report.config('config-expose-unmatched', ['expose', 'tags', index], `No operation has the tag ${tag}.`, fix);
  }
  const isSelected = (one: OperationModel) => isNamed(one) && isTagged(one) && isRead(one);
  if (problems === report.problems.length && !operations.some(isSelected)) {
    const counts: string[] = [];
    if (patterns !== undefined) counts.push(`${operations.filter(isNamed).length} match operations`);
    if (selection.tags !== undefined) counts.push(`${operations.filter(isTagged).length} have one of the tags`);
    if (selection.readOnly !== undefined) counts.push(`${operations.filter(isRead).length} read`);
    report.config('config-expose-unmatched', ['expose'], `No operation matches all of it: ${counts.join(', ')}.`);
  }
  return isSelected;
}

function matches(pattern: RegExp, operation: OperationModel): boolean {
  const { id, method, path } = operation;
  const names = [path, path.slice(1), operationKey(operation), `${method} ${path.slice(1)}`, id ?? path];
  return names.some((name) => pattern.test(name));
}

function toPattern(glob: string): RegExp {
  const source = glob.replaceAll(/\/\*\*$|\*+|[^*\w]/g, (part) => {
    if (part === '/**') return '(?:/.*)?';
    if (part.startsWith('*')) return part.length > 1 ? '.*' : '[^/]*';
    return `\\${part}`;
  });
  return new RegExp(`^${source}$`, 's');
}

/** Possible corrections: ids or paths, and also their beginnings if the glob has a star. */
function namesLike(glob: string, operations: readonly OperationModel[]): string[] {
  const [method] = /^[A-Z]+ (?=\/)/.exec(glob) ?? [];
  const isPath = method !== undefined || glob.startsWith('/');
  const names = operations.flatMap((operation) => {
    if (!isPath) return operation.id ?? [];
    return method === undefined ? operation.path : operationKey(operation);
  });
  if (!glob.includes('*')) return names;
  const end = isPath ? '/**' : '*';
  const separators = isPath ? /\/(?=[^/])/g : /[/._-]|(?<=[a-z])(?=[A-Z])/g;
  return names.flatMap((name) => [
    name,
    ...[...name.matchAll(separators)].flatMap(({ index, 0: mark }) => {
      const beginning = name.slice(0, isPath ? index : index + mark.length);
      return beginning === '' ? [] : [`${beginning}${end}`];
    }),
  ]);
}
