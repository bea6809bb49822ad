/** The page size of a list, by the tool's own argument. */

import type { Pins } from '../../../base/principal/permission.ts';
import type { ObjectSchema, PageRule, Tool, ToolRequest } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { allowsType, isSchema, toRawNumber } from '../json.ts';

/** The next page of a paged result. */
export interface Page {
  /** All arguments of the call for the next page, or null at the end. */
  readonly nextArguments: Arguments | null;
}

/** The parts of a tool that paging needs. */
export interface PagedTool {
  readonly inputSchema: ObjectSchema;
  readonly page?: PageRule | undefined;
  readonly request?: ToolRequest | undefined;
}

/** @param size name of the argument for the page size. */
function sizeSchema({ inputSchema }: PagedTool, size: string | undefined): Readonly<Record<string, unknown>> {
  const { properties } = inputSchema;
  const schema = isSchema(properties) && size !== undefined ? properties[size] : undefined;
  return isSchema(schema) ? schema : {};
}

/** Returns the maximum page size of the tool, or null if its schema has none. */
export function largestPage(tool: Tool): number | null {
  const { maximum } = sizeSchema(tool, tool.page?.size);
  return typeof maximum === 'number' ? maximum : null;
}

/** Returns the maximum number of records on the page of a call, or null if it is not known. */
export function sizeOfPage(tool: PagedTool, rule: PageRule, args: Arguments): number | null {
  const { maximum, default: defaultSize } = sizeSchema(tool, rule.size);
  const sizeValue = rule.size === undefined ? undefined : args[rule.size];
  const size = typeof sizeValue === 'number' ? sizeValue : defaultSize;
  if (typeof size !== 'number' || size < 1) return null;
  return typeof maximum === 'number' ? Math.min(size, maximum) : size;
}

/**
 * True if another page may follow a page with so many records. False if the page is not full.
 *
 * That counts only if the schema has a maximum page size: the upstream's own limit may be lower than the requested size.
 */
export function mayBeFull(tool: PagedTool, rule: PageRule, records: number, args: Arguments): boolean {
  const size = typeof sizeSchema(tool, rule.size).maximum === 'number' ? sizeOfPage(tool, rule, args) : null;
  return size === null || records >= size;
}

/** Returns the argument for the page size, or null if there is none or it is pinned. */
export function freePageSize({ page }: Tool, pins: Pins): string | null {
  return page?.size === undefined || Object.hasOwn(pins, page.size) ? null : page.size;
}

/** Records of a page whose records are looked through, unless the caller asked for more: rows may be long. */
const MAX_SEARCHED = 1000;

/**
 * Returns the arguments with the largest page that the caller, the service and the number of wanted records allow.
 *
 * @param wantedRecords number of records, or null if all are looked through, so that the caller's size does not matter.
 */
export function withFirstPage(tool: Tool, args: Arguments, wantedRecords: number | null, pins: Pins): Arguments {
  const size = freePageSize(tool, pins);
  const largest = largestPage(tool);
  if (size === null || largest === null || isAfterFirstPage(tool, args)) return args;
  const sizeValue = args[size];
  const requestedSize = typeof sizeValue === 'number' ? sizeValue : null;
  const pageSize =
    wantedRecords === null
      ? Math.max(requestedSize ?? 0, Math.min(largest, MAX_SEARCHED))
      : Math.min(wantedRecords, requestedSize ?? largest);
  return { ...args, [size]: pageSize };
}

/** True if pages may be addressed by number, so that pages of another size would begin elsewhere. */
export function hasFixedSize(tool: PagedTool): boolean {
  const { page, inputSchema } = tool;
  if (page === undefined || page.kind === 'offset' || page.kind === 'last') return false;
  const { properties } = inputSchema;
  const schema = isSchema(properties) ? properties[page.argument] : undefined;
  return page.kind !== undefined || (isSchema(schema) && !allowsType(inputSchema, schema, 'string'));
}

/** True if a call asks for a page after the first, whose size must be that of the first. */
export function isAfterFirstPage(tool: Tool, args: Arguments): boolean {
  const { page } = tool;
  if (page === undefined || !hasFixedSize(tool)) return false;
  const pageArgument = args[page.argument];
  return pageArgument !== undefined && pageArgument !== (page.kind === 'page' ? page.first : 1);
}

/**
 * The arguments for a smaller page that begins at the same record.
 *
 * @returns null if no page number begins at that record with a smaller size.
 */
export function withSmallerPage(tool: Tool, args: Arguments, size: string, maxSize: number): Arguments | null {
  const { page } = tool;
  if (!isAfterFirstPage(tool, args)) return { ...args, [size]: maxSize };
  if (page?.kind !== 'page') return null;
  const previousSize = sizeOfPage(tool, page, args);
  const pageNumber = args[page.argument];
  if (previousSize === null || typeof pageNumber !== 'number') return null;
  const offset = (pageNumber - page.first) * previousSize;
  let newSize = maxSize;
  while (offset % newSize !== 0) newSize -= 1;
  return { ...args, [size]: newSize, [page.argument]: page.first + offset / newSize };
}

/** An integer in JSON syntax. */
const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/**
 * Converts a value to a type that the argument accepts. A text becomes a number (raw if it is large) or a boolean if the argument accepts
 * no text; a number becomes a text if the argument accepts no number. Any other value stays as it is.
 */
export function toArgument({ inputSchema }: PagedTool, name: string, value: unknown): unknown {
  const { properties } = inputSchema;
  const schema = isSchema(properties) ? properties[name] : undefined;
  if (!isSchema(schema)) return value;
  const allows = (type: string) => allowsType(inputSchema, schema, type);
  if (typeof value === 'number') {
    return !allows('number') && !allows('integer') && allows('string') ? String(value) : value;
  }
  if (typeof value !== 'string' || allows('string')) return value;
  if (
    (allows('integer') && /^-?\d{1,15}$/.test(value)) ||
    (allows('number') && /^-?\d{1,15}(?:\.\d{1,9})?$/.test(value))
  ) {
    return Number(value);
  }
  if ((allows('integer') || allows('number')) && INTEGER.test(value)) return toRawNumber(value);
  if (allows('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
