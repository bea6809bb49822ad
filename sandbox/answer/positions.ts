/** Where a page begins, as its service counts: an opaque text, a record offset, a page number, or the last record's id. */

import type { SandboxOperation } from '../descriptor/operations.ts';
import { isObject, readPointer } from '../json.ts';
import type { SandboxPageRule } from './page-rules.ts';

/** Converts the value of a parameter to the index of a record, and back. */
export interface Positions {
  /** Null: this sandbox never issued such a value. */
  read(value: unknown): number | null;
  /** The value for the page that begins at an index; undefined: the record before it has no id. */
  write(index: number): unknown;
}

const PAGE_NAME = /page/i;

/** @param size records per page. @param recordAt returns a record of the list by its index. */
export function createPositions(
  rule: SandboxPageRule,
  operation: SandboxOperation,
  { size, length, recordAt }: { readonly size: number; readonly length: number; recordAt(index: number): unknown },
): Positions {
  if (rule.kind === 'last') {
    const idAt = (index: number) => readPointer(recordAt(index), rule.id);
    const indexes = Array.from({ length }, (_, index) => index);
    return {
      read: (value) => (indexes.find((index) => String(idAt(index)) === String(value)) ?? -2) + 1 || null,
      write: (index) => idAt(index - 1),
    };
  }
  const takesNumber = isNumber(operation, rule.cursorParameter);
  const countsPages =
    rule.kind === 'page' || (rule.kind !== 'offset' && takesNumber && PAGE_NAME.test(rule.cursorParameter));
  const first = rule.kind === 'page' || rule.kind === 'offset' ? rule.first : countsPages ? 1 : 0;
  const isText = !takesNumber && rule.kind !== 'page' && rule.kind !== 'offset';
  const unit = countsPages ? size : 1;
  return {
    read(value) {
      const text = isText ? /^offset-(\d{1,6})$/.exec(String(value))?.[1] : String(value);
      const index = text !== undefined && /^\d{1,6}$/.test(text) ? (Number(text) - first) * unit : -1;
      return index >= 0 && (index <= length || countsPages) ? Math.min(index, length) : null;
    },
    write: (index) => (isText ? `offset-${index}` : first + Math.ceil(index / unit)),
  };
}

function isNumber({ parameters }: SandboxOperation, wireName: string): boolean {
  const schema = parameters.find(({ in: place, name }) => place === 'query' && name === wireName)?.schema;
  const types = isObject(schema) ? [schema.type].flat() : [];
  return !types.includes('string') && types.some((type) => type === 'integer' || type === 'number');
}
