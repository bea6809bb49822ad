/** Files under handles: a large file of an answer is kept for later calls of its client, and file arguments take its handle. */

import type { KeptValues } from '../../../base/kept-values.ts';
import { KeptBusyError } from '../../../base/long-values.ts';
import type { Principal } from '../../../base/principal/principal.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { type AnyTool, isHandWritten } from '../catalogue/permitted.ts';
import { branches, isObject, isSchema } from '../json.ts';
import type { ContentBlock } from '../provider.ts';
import { escapeTags } from '../results/errors.ts';

/** A file of an answer. */
export interface KeptFile {
  /** In base64. */
  readonly data: string;
  readonly mediaType: string;
  /** Name of the file. Null if it is not known. */
  readonly name: string | null;
}

type Content = Pick<KeptFile, 'data' | 'mediaType'>;

/** Keeps files for their client. */
export interface FileHandles extends Pick<KeptValues<KeptFile>, 'keep' | 'read'> {
  /** A file of at most so many bytes stays in its answer. */
  readonly inlineBytes: number;
  /** Maximum of bytes of all files that one call sends. */
  readonly maxBytes: number;
  readonly keptMs: number;
}

/** Prefix of handles. Base64 of the standard alphabet has no `_`. */
export const HANDLE_PREFIX = 'file_';
/** Prefix of the URIs of kept files. The handle follows. */
export const KEPT_FILES = 'kept://files/';
const MAX_HANDLE_LENGTH = 64;
const MINUTE_MS = 60_000;

/** Arguments with their files, or why there are none. */
type Opened =
  | { readonly ok: true; readonly args: Arguments }
  | { readonly ok: false; readonly argument: string; readonly message: string; readonly advice: string };

const ANY: KeptFile = { data: '', mediaType: '', name: null };

/** Replaces the handles in arguments where the schema of the tool has the content of a file. */
export async function openHandles(
  tool: AnyTool,
  args: Arguments,
  { owner, files }: { readonly owner: Principal; readonly files: FileHandles },
): Promise<Opened> {
  const asked = new Map<string, { readonly argument: string; readonly times: number }>();
  fillHandles(tool, args, (handle, argument) => {
    asked.set(handle, { argument, times: 1 + (asked.get(handle)?.times ?? 0) });
    return ANY;
  });
  if (asked.size === 0) return { ok: true, args };
  const opened = new Map<string, KeptFile>();
  let bytes = 0;
  for (const [handle, { argument, times }] of asked) {
    let file: KeptFile | undefined;
    try {
      file = await files.read(owner, handle);
    } catch (error) {
      if (!(error instanceof KeptBusyError)) throw error;
      return { ok: false, argument, message: error.message, advice: 'The file is still kept.' };
    }
    if (file === undefined) {
      const message = `"${argument}" names a file that is not kept: the handle is wrong, older than ${files.keptMs / MINUTE_MS} minutes, made room for others, or is not of this client as it is now.`;
      const advice = 'Call the tool that gave the file again, and use its new handle; or give the content in base64.';
      return { ok: false, argument, message, advice };
    }
    opened.set(handle, file);
    bytes += times * bytesOf(file.data);
    if (bytes > files.maxBytes) {
      const message = `The files have more than ${files.maxBytes} bytes together, which is the most that one call sends by handle.`;
      return { ok: false, argument, message, advice: 'Send them in several calls.' };
    }
  }
  return { ok: true, args: fillHandles(tool, args, (handle) => opened.get(handle)) };
}

/** Keeps a file, and writes what an answer says in its place. */
export async function keepFile(owner: Principal, file: KeptFile, { files, now }: Keeping) {
  const handle = await files.keep(owner, file);
  const { data, mediaType, name } = file;
  const facts = { handle, mediaType, bytes: bytesOf(data), ...(name !== null && { name }) };
  const said = { file: { ...facts, expiresAt: new Date(now + files.keptMs).toISOString() } };
  const use = `The file is kept for ${files.keptMs / MINUTE_MS} minutes, for this client only. Give "${handle}" as the content (data) of a file argument of any tool, instead of base64.`;
  const link: ContentBlock = {
    ...{ type: 'resource_link', uri: `${KEPT_FILES}${handle}`, name: escapeTags(name ?? handle) },
    ...{ mimeType: mediaType, size: facts.bytes },
  };
  return { said, blocks: [...[escapeTags(JSON.stringify(said)), use].map(toText), link] };
}

function toText(text: string): ContentBlock {
  return { type: 'text', text };
}

interface Keeping {
  readonly files: FileHandles;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Finds the file of a handle. Returns undefined if the handle stays as it is. */
type Fill = (handle: string, argument: string) => KeptFile | undefined;

function fillHandles(tool: AnyTool, args: Arguments, fill: Fill): Arguments {
  const { properties } = tool.inputSchema;
  let filled = args;
  for (const [name, value] of Object.entries(args)) {
    const schema = isSchema(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isSchema(schema)) continue;
    const ofArgument = (handle: string): KeptFile | undefined => {
      const file = fill(handle, name);
      if (file !== undefined) filled = { ...factsFor(tool, name, file), ...filled };
      return file;
    };
    const next = fillAt(tool.inputSchema, schema, value, ofArgument);
    if (next !== value) filled = { ...filled, [name]: next };
  }
  return filled;
}

/** The arguments next to the content of a file that say its name and media type. */
function factsFor(tool: AnyTool, content: string, file: KeptFile): Arguments {
  const body = isHandWritten(tool) ? undefined : tool.request.body;
  const { properties } = tool.inputSchema;
  for (const binding of body !== undefined && 'members' in body ? Object.values(body.members) : []) {
    if (typeof binding !== 'object' || !('entries' in binding) || binding.entries.data !== content) continue;
    const { name = '', mimeType = '' } = binding.entries;
    const at = (one: string) => (isSchema(properties) && one !== '' ? properties[one] : undefined);
    const facts = toFacts(file, { name: at(name), mimeType: at(mimeType) });
    return Object.fromEntries(Object.entries(facts).map(([member, value]) => [binding.entries[member], value]));
  }
  return {};
}

function fillAt(
  root: JsonSchema,
  schema: JsonSchema,
  value: unknown,
  fill: (handle: string) => KeptFile | undefined,
): unknown {
  let filled = value;
  for (const { contentEncoding, items, properties } of branches(root, schema)) {
    const next = (at: unknown, one: unknown) => (isSchema(at) ? fillAt(root, at, one, fill) : one);
    const members = isSchema(properties) ? properties : {};
    const isFile = isSchema(members.data) && members.data.contentEncoding === 'base64';
    if (contentEncoding === 'base64' || isFile) {
      const handle = handleOf(value) ?? (isFile && isObject(value) ? handleOf(value.data) : null);
      const file = handle === null ? undefined : fill(handle);
      if (file === undefined) continue;
      return isFile ? { ...toFacts(file, members), ...givenFacts(value), data: file.data } : file.data;
    }
    if (Array.isArray(filled) && items !== undefined) filled = filled.map((one) => next(items, one));
    if (!isObject(filled) || properties === undefined) continue;
    const entries = Object.entries(filled);
    filled = Object.fromEntries(
      entries.map(([name, one]) => [name, Object.hasOwn(members, name) ? next(members[name], one) : one]),
    );
  }
  return filled;
}

/** Returns the handle that a text is, or that an object has as `handle`. Null if there is none. */
function handleOf(value: unknown): string | null {
  const text = isObject(value) ? value.handle : value;
  return typeof text === 'string' && text.startsWith(HANDLE_PREFIX) && text.length <= MAX_HANDLE_LENGTH ? text : null;
}

/** Returns the facts about a file that a file argument has members for. */
function toFacts({ name, mediaType }: KeptFile, { name: ofName, mimeType }: JsonSchema): Record<string, string> {
  const isAccepted = isSchema(mimeType) && (!Array.isArray(mimeType.enum) || mimeType.enum.includes(mediaType));
  return {
    ...(name !== null && ofName !== undefined && { name }),
    ...(isAccepted && { mimeType: mediaType }),
  };
}

/** Returns the facts about the file that the caller itself gives. */
function givenFacts(value: unknown): Record<string, unknown> {
  const members = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(members.filter(([name, one]) => name !== 'handle' && one !== null && one !== ''));
}

/** Returns the file in a block, or null if the block holds none. */
export function contentOf({ data, mimeType, resource }: ContentBlock): Content | null {
  const inner = isObject(resource) ? { data: resource.blob, mimeType: resource.mimeType } : { data, mimeType };
  return typeof inner.data === 'string' ? { data: inner.data, mediaType: String(inner.mimeType) } : null;
}

/** Returns the number of bytes of content in base64. */
export function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}
