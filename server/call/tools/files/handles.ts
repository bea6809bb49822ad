/** Files under handles: a large file of an answer is stored for later calls of its client, and file arguments take its handle. */

import { StoredValueBusyError } from '../../../base/long-values.ts';
import type { Principal } from '../../../base/principal/principal.ts';
import type { SealedCache } from '../../../base/sealed-cache.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { type AnyTool, isHandWritten } from '../catalogue/permitted.ts';
import { isObject, isSchema, mapBySchema, parsePointer } from '../json.ts';
import type { ContentBlock } from '../provider.ts';
import { escapeTags } from '../results/errors.ts';
import type { FilePlace } from './file-arguments.ts';

/** The content of a file. */
interface FileContent {
  /** In base64. */
  readonly data: string;
  readonly mediaType: string;
}

/** A file of an answer. */
export interface StoredFile extends FileContent {
  /** Name of the file. Null if it is not known. */
  readonly name: string | null;
}

/** Stores files for their client. */
export interface FileHandles extends Pick<SealedCache<StoredFile>, 'store' | 'read'> {
  /** A file of at most so many bytes stays in its answer. */
  readonly inlineBytes: number;
  /** Maximum of bytes of all files that one call sends. */
  readonly maxBytes: number;
  /** Time for which a file is stored, in milliseconds. */
  readonly ttlMs: number;
}

/** Files that were uploaded for one argument of one tool. */
export interface UploadedFiles {
  /**
   * @returns `awaited` if no file has arrived yet; undefined if there is none, or it is for another client, tool or argument.
   * @throws {StoredValueBusyError}
   */
  read(owner: Principal, handle: string, place: FilePlace): Promise<StoredFile | 'awaited' | undefined>;
  /** Deletes files that a call has used. Does nothing for handles of other files. */
  release(owner: Principal, handles: readonly string[]): Promise<void>;
}

/** Prefix of handles. Base64 of the standard alphabet has no `_`. */
export const HANDLE_PREFIX = 'file_';
/** Prefix of the URIs of stored files. The handle follows. */
export const FILE_URI_PREFIX = 'kept://files/';
const MAX_HANDLE_LENGTH = 64;
const MINUTE_MS = 60_000;

/** Arguments with their files, or why there are none. */
type OpenedArguments =
  | { readonly ok: true; readonly args: Arguments; readonly handles: readonly string[] }
  | { readonly ok: false; readonly argument: string; readonly message: string; readonly advice: string };

/** Three bytes, so that it passes for a file. */
const PLACEHOLDER_FILE: StoredFile = { data: 'AAAA', mediaType: '', name: null };

interface FileSources {
  readonly owner: Principal;
  readonly files: FileHandles;
  readonly uploads?: UploadedFiles | undefined;
}

/** Replaces the handles in arguments where the schema of the tool has the content of a file. */
export async function openHandles(
  tool: AnyTool,
  args: Arguments,
  { owner, files, uploads }: FileSources,
): Promise<OpenedArguments> {
  const uses = new Map<string, { readonly handle: string; readonly argument: string; readonly times: number }>();
  fillHandles(tool, args, (handle, argument) => {
    const key = useKey(handle, argument);
    uses.set(key, { handle, argument, times: 1 + (uses.get(key)?.times ?? 0) });
    return PLACEHOLDER_FILE;
  });
  if (uses.size === 0) return { ok: true, args, handles: [] };
  const filesByUse = new Map<string, StoredFile>();
  let bytes = 0;
  for (const [key, { handle, argument, times }] of uses) {
    let file: StoredFile | 'awaited' | undefined;
    try {
      file = (await files.read(owner, handle)) ?? (await uploads?.read(owner, handle, { tool: tool.name, argument }));
    } catch (error) {
      if (!(error instanceof StoredValueBusyError)) throw error;
      return { ok: false, argument, message: error.message, advice: 'The file is still kept.' };
    }
    if (file === 'awaited') {
      const message = `No file was uploaded for "${argument}" yet.`;
      return { ok: false, argument, message, advice: 'Send it to the address of its handle first, then call again.' };
    }
    if (file === undefined) {
      const message = `"${argument}" names a file that is not kept: the handle is wrong, older than ${files.ttlMs / MINUTE_MS} minutes, made room for others, or is not of this client as it is now; or it was uploaded for another argument, or used.`;
      const advice = 'Call the tool that gave the file again, and use its new handle; or give the content in base64.';
      return { ok: false, argument, message, advice };
    }
    filesByUse.set(key, file);
    bytes += times * bytesOf(file.data);
    if (bytes > files.maxBytes) {
      const message = `The files have more than ${files.maxBytes} bytes together, which is the most that one call sends by handle.`;
      return { ok: false, argument, message, advice: 'Send them in several calls.' };
    }
  }
  const filled = fillHandles(tool, args, (handle, argument) => filesByUse.get(useKey(handle, argument)));
  return { ok: true, args: filled, handles: [...uses.values()].map(({ handle }) => handle) };
}

/** Replaces the handles in arguments by a placeholder, for a call that sends no files. */
export function replaceHandles(tool: AnyTool, args: Arguments): Arguments {
  return fillHandles(tool, args, () => PLACEHOLDER_FILE);
}

/** True if arguments name a file by its handle. */
export function hasHandle(tool: AnyTool, args: Arguments): boolean {
  let isFound = false;
  fillHandles(tool, args, () => {
    isFound = true;
    return undefined;
  });
  return isFound;
}

function useKey(handle: string, argument: string): string {
  return JSON.stringify([handle, argument]);
}

/** Stores a file, and writes what an answer says in its place. */
export async function storeFile(owner: Principal, file: StoredFile, { files, now }: FileStoring) {
  const handle = await files.store(owner, file);
  const { data, mediaType, name } = file;
  const facts = { handle, mediaType, bytes: bytesOf(data), ...(name !== null && { name }) };
  const structuredFile = { file: { ...facts, expiresAt: new Date(now + files.ttlMs).toISOString() } };
  const instructions = `The file is kept for ${files.ttlMs / MINUTE_MS} minutes, for this client only. Give "${handle}" as the content (data) of a file argument of any tool, instead of base64.`;
  const link: ContentBlock = {
    type: 'resource_link',
    uri: `${FILE_URI_PREFIX}${handle}`,
    name: escapeTags(name ?? handle),
    mimeType: mediaType,
    size: facts.bytes,
  };
  return {
    structuredFile,
    blocks: [...[escapeTags(JSON.stringify(structuredFile)), instructions].map(toText), link],
  };
}

function toText(text: string): ContentBlock {
  return { type: 'text', text };
}

interface FileStoring {
  readonly files: FileHandles;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Finds the file of a handle. Returns undefined if the handle stays as it is. */
type Fill = (handle: string, argument: string) => StoredFile | undefined;

function fillHandles(tool: AnyTool, args: Arguments, fill: Fill): Arguments {
  let facts: Arguments = {};
  const filled = mapBySchema(tool.inputSchema, args, (value, schemas, pointer) => {
    const [argument] = parsePointer(pointer);
    if (argument === undefined) return value;
    return fillValue(value, schemas, (handle) => {
      const file = fill(handle, argument);
      if (file !== undefined) facts = { ...factsFor(tool, argument, file), ...facts };
      return file;
    });
  }) as Arguments;
  return { ...facts, ...filled };
}

/** The arguments next to the content of a file that say its name and media type. */
function factsFor(tool: AnyTool, content: string, file: StoredFile): Arguments {
  const body = isHandWritten(tool) ? undefined : tool.request.body;
  const { properties } = tool.inputSchema;
  for (const binding of body !== undefined && 'members' in body ? Object.values(body.members) : []) {
    if (typeof binding !== 'object' || !('entries' in binding) || binding.entries.data !== content) continue;
    const { name = '', mimeType = '' } = binding.entries;
    const schemaOf = (argumentName: string) =>
      isSchema(properties) && argumentName !== '' ? properties[argumentName] : undefined;
    const facts = toFacts(file, { name: schemaOf(name), mimeType: schemaOf(mimeType) });
    return Object.fromEntries(Object.entries(facts).map(([member, value]) => [binding.entries[member], value]));
  }
  return {};
}

/** Returns the value with the file that its handle names, if its place takes a file: as text, or as an object with `data`. */
function fillValue(value: unknown, schemas: readonly JsonSchema[], fill: (handle: string) => StoredFile | undefined) {
  for (const { contentEncoding, properties } of schemas) {
    const members = isSchema(properties) ? properties : {};
    const isFile = isSchema(members.data) && members.data.contentEncoding === 'base64';
    if (contentEncoding !== 'base64' && !isFile) continue;
    const handle = handleOf(value) ?? (isFile && isObject(value) ? handleOf(value.data) : null);
    const file = handle === null ? undefined : fill(handle);
    if (file === undefined) continue;
    return isFile ? { ...toFacts(file, members), ...callerFacts(value), data: file.data } : file.data;
  }
  return value;
}

/** Returns the handle that a text is, or that an object has as `handle`. Null if there is none. */
function handleOf(value: unknown): string | null {
  const text = isObject(value) ? value.handle : value;
  return typeof text === 'string' && text.startsWith(HANDLE_PREFIX) && text.length <= MAX_HANDLE_LENGTH ? text : null;
}

/** Returns the facts about a file that a file argument has members for. */
function toFacts({ name, mediaType }: StoredFile, { name: nameSchema, mimeType }: JsonSchema): Record<string, string> {
  const isAccepted = isSchema(mimeType) && (!Array.isArray(mimeType.enum) || mimeType.enum.includes(mediaType));
  return {
    ...(name !== null && nameSchema !== undefined && { name }),
    ...(isAccepted && { mimeType: mediaType }),
  };
}

/** Returns the facts about the file that the caller itself gives. */
function callerFacts(value: unknown): Record<string, unknown> {
  const members = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(members.filter(([name, member]) => name !== 'handle' && member !== null && member !== ''));
}

/** Returns the file in a block, or null if the block holds none. */
export function contentOf({ data, mimeType, resource }: ContentBlock): FileContent | null {
  const inner = isObject(resource) ? { data: resource.blob, mimeType: resource.mimeType } : { data, mimeType };
  return typeof inner.data === 'string' ? { data: inner.data, mediaType: String(inner.mimeType) } : null;
}

/** Returns the number of bytes of content in base64. */
export function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}
