/** How many records a page of a list may have, by the tool's own argument. */

import type { Tool } from '../../contract/index.ts';
import type { Pins } from '../../principal/permission.ts';
import type { Arguments } from '../../upstream/index.ts';
import { isSchema } from '../json/schema-walk.ts';

/** The most records that one page of the tool can have; null: its schema does not say. */
export function largestPage({ inputSchema, page }: Tool): number | null {
  const { properties } = inputSchema;
  const schema = isSchema(properties) && page?.size !== undefined ? properties[page.size] : undefined;
  return isSchema(schema) && typeof schema.maximum === 'number' ? schema.maximum : null;
}

/** The argument for the size of a page, where the gateway may set it: not where a pin does. */
export function freePageSize({ page }: Tool, pins: Pins): string | null {
  return page?.size === undefined || Object.hasOwn(pins, page.size) ? null : page.size;
}

/** The arguments with pages as large as the caller, the service and the records that are still wanted allow. */
export function withFirstPage(tool: Tool, args: Arguments, wanted: number, pins: Pins): Arguments {
  const size = freePageSize(tool, pins);
  const largest = largestPage(tool);
  if (size === null || largest === null) return args;
  const given = args[size];
  return { ...args, [size]: Math.min(wanted, typeof given === 'number' ? given : largest) };
}
