/** Reads links to the next page, and never fetches them: their query becomes arguments of the tool. */

import type { Binding, LinkPages } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { allowsType, isSchema } from '../json/schema-walk.ts';
import { toArgument } from './argument-value.ts';
import type { Page, PagedTool } from './paged-tool.ts';

/** A longer header is not a list of links. */
const MAX_HEADER_LENGTH = 16_384;

/** The target of the first link with the relation type `next` of a `Link` header (RFC 8288 §3); null: there is none. */
export function findNextLink(header: string): string | null {
  if (header.length > MAX_HEADER_LENGTH) return null;
  let at = header.indexOf('<');
  while (at >= 0) {
    const close = header.indexOf('>', at);
    if (close < 0) return null;
    const end = endOfLink(header, close + 1);
    if (relationsOf(header.slice(close + 1, end)).includes('next')) return header.slice(at + 1, close).trim();
    at = header.indexOf('<', end);
  }
  return null;
}

/** Index of the comma after the parameters of a link, or of the end. Commas in quotes do not separate. */
function endOfLink(header: string, from: number): number {
  let isQuoted = false;
  for (let at = from; at < header.length; at += 1) {
    const character = header[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === ',' && !isQuoted) return at;
  }
  return header.length;
}

const PARAMETER = /;\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?\s*/gy;

/** Relation types are separated by spaces and compared without case (RFC 8288 §2.1.1, §3.3); the first `rel` counts. */
function relationsOf(parameters: string): string[] {
  for (const [, name, quoted, plain] of parameters.trimStart().matchAll(PARAMETER)) {
    if (name?.toLowerCase() === 'rel') return (quoted ?? plain ?? '').toLowerCase().split(/\s+/);
  }
  return [];
}

/**
 * Converts a link to arguments: its query parameters that the tool accepts replace those of this call.
 *
 * Host and path of the link are ignored, because the next call is built from the tool: nothing is sent to another host.
 *
 * @returns null if the link has nothing that the tool can express.
 */
export function followLink(tool: PagedTool, rule: LinkPages, link: string, args: Arguments): Page | null {
  if (!URL.canParse(link, 'http://localhost')) return null;
  const query = new URL(link, 'http://localhost').searchParams;
  const bindings = tool.request?.query ?? {};
  const read: Record<string, unknown> = {};
  let isKnown = true;
  for (const name of new Set(query.keys())) {
    const argument = Object.hasOwn(bindings, name) ? argumentOf(bindings[name]) : undefined;
    if (argument === undefined) isKnown = false;
    else if (argument !== null && takesOneValue(tool, argument)) {
      read[argument] = toArgument(tool, argument, query.get(name));
    }
  }
  const moved = Object.keys(read).filter((name) => name !== rule.size && read[name] !== args[name]);
  if (moved.length === 0) return isKnown && query.size > 0 ? { nextArguments: null } : null;
  const { [rule.argument]: _, ...others } = args;
  return { nextArguments: { ...others, ...read } };
}

/** The argument of a query parameter; null: the parameter is sent, but not from a single argument. */
function argumentOf(binding: Binding<object> | undefined): string | null | undefined {
  if (binding === undefined || typeof binding === 'string') return binding;
  return 'argument' in binding ? binding.argument : null;
}

function takesOneValue({ inputSchema }: PagedTool, argument: string): boolean {
  const { properties } = inputSchema;
  const schema = isSchema(properties) ? properties[argument] : undefined;
  return (
    isSchema(schema) && ['string', 'integer', 'number', 'boolean'].some((type) => allowsType(inputSchema, schema, type))
  );
}
