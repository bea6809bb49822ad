/** Finds the arguments that make a result smaller. */

import type { Tool, ToolFace } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { isSchema } from '../json/schema-walk.ts';

/** Usual names of page sizes, ranges, columns and filters in descriptors. */
const NARROWING =
  /(^|_)(limit|size|per_page|page_size|count|top|max|range|columns?|fields?|select|include|from|to|start|end|since|until|before|after|gte|lte|gt|lt|date|filter|ids|types?|status|query)(_|$)/;

const MAX_NAMED = 6;

/** Optional arguments of the tool that narrow its result, with their values in this call. */
export function findNarrowingArguments(tool: ToolFace & Pick<Tool, 'page'>, args: Arguments): string[] {
  const { properties, required } = tool.inputSchema;
  if (!isSchema(properties)) return [];
  const needed = Array.isArray(required) ? required : [];
  return Object.keys(properties)
    .filter((name) => !needed.includes(name) && name !== tool.page?.argument && NARROWING.test(toSnakeCase(name)))
    .slice(0, MAX_NAMED)
    .map((name) => `"${name}"${now(args[name])}`);
}

function now(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? ` (now ${value})` : '';
}

function toSnakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[-.]/g, '_')
    .toLowerCase();
}
