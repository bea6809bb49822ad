/** The tool that asks for an upload: where the bytes of a file are sent, and the handle that a file argument takes then. */

import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { UPLOAD_TOOL_NAME } from '../../../shared/search/tool-names.ts';
import type { ValueSealer } from '../../base/credentials/sealed-value.ts';
import type { Principal } from '../../base/principal/principal.ts';
import { findClient } from '../../base/store/repositories/oauth-clients.ts';
import type { Database } from '../../base/store/schema.ts';
import { canElicit } from '../../call/tools/ask-user.ts';
import { refuse } from '../../call/tools/call/call-outcome.ts';
import type { CodeTool } from '../../call/tools/call/dependencies.ts';
import type { Catalogue, CatalogueEntry } from '../../call/tools/catalogue/catalogue.ts';
import { type FileArgument, fileArgumentsOf, findFileArgument } from '../../call/tools/files/file-arguments.ts';
import { isSchema, stableJson } from '../../call/tools/json.ts';
import {
  type CompleteToolResult,
  type InputRequiredToolResult,
  InvalidCallError,
  type ToolCallContext,
  type ToolResult,
} from '../../call/tools/provider.ts';
import { escapeTags } from '../../call/tools/results/errors.ts';
import { toFileName } from '../../call/tools/results/file-facts.ts';
import { essenceOf, isAccepted, isMediaType } from '../../call/upstream/serialize-files.ts';
import { PAGE_PATH, PUT_PATH } from './paths.ts';
import { ADDRESS_TTL_MS, MAX_UPLOADS, type NewUpload, type UploadRequest, type Uploads } from './uploads.ts';

interface ToolParts {
  readonly uploads: Uploads;
  readonly db: Kysely<Database>;
  /** Seals which upload a question to the user is about. */
  readonly states: ValueSealer;
  readonly publicUrl: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type Arguments = Readonly<Record<string, unknown>>;

/** The key of the input request. */
const UPLOAD = 'upload';
const MINUTES = ADDRESS_TTL_MS / 60_000;
const NEAREST = 3;
/** Longer names are no names of tools or arguments. */
const MAX_NAME_LENGTH = 128;

/** Creates the tool. */
export function createRequestTool(parts: ToolParts): CodeTool {
  return {
    name: UPLOAD_TOOL_NAME,
    title: 'Upload a file',
    description:
      'Returns a handle that a file argument takes instead of base64, and a one-time address: PUT the bytes of the file there, or let the user open its page.',
    inputSchema: {
      type: 'object',
      properties: {
        tool: { type: 'string', description: 'Tool that takes the file.' },
        argument: { type: 'string', description: 'Its argument.' },
        name: { type: 'string', description: 'File name.' },
        mediaType: { type: 'string' },
        bytes: { type: 'integer', minimum: 1 },
      },
      required: ['tool', 'argument'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    isListed: (access, catalogue) =>
      [...catalogue.entries()].some(
        ({ takesFiles, tool }) => takesFiles && catalogue.findVisible(tool.name, access) !== null,
      ),
    async run(principal, args, context, { catalogue }) {
      const request = await toRequest(principal, args, { parts, catalogue });
      if ('content' in request) return request;
      if (context.requestState !== null) return continueCall(principal, { args, request, context }, parts);
      const upload = await parts.uploads.begin(principal, request);
      return upload === null ? tooManyUploads() : offer(principal, { args, request, context }, { upload, parts });
    },
  };
}

interface RequestCall {
  readonly args: Arguments;
  readonly request: UploadRequest;
  readonly context: ToolCallContext;
}

/** Reads the arguments. @returns the result of a call whose arguments are wrong. */
async function toRequest(
  principal: Principal,
  args: Arguments,
  { parts, catalogue }: { readonly parts: ToolParts; readonly catalogue: Catalogue },
): Promise<UploadRequest | CompleteToolResult> {
  const { mediaType = null, bytes = 0 } = args;
  const name = String(args.tool).slice(0, MAX_NAME_LENGTH);
  const entry = catalogue.find(name);
  const visible = entry && catalogue.findVisible(entry.tool.name, principal);
  if (entry === undefined || !visible) return noSuchTool(name, catalogue.nearest(name, principal, NEAREST));
  const argument = String(args.argument).slice(0, MAX_NAME_LENGTH);
  const { properties } = visible.inputSchema;
  const isVisible = isSchema(properties) && Object.hasOwn(properties, argument);
  const limits = isVisible ? findFileArgument(entry.tool, argument) : undefined;
  if (limits === undefined) return noFileArgument(argument, entry);
  const maxBytes = Math.min(limits.maxBytes, parts.uploads.maxFileBytes);
  const problem = findProblem({ mediaType, bytes: Number(bytes), maxBytes, limits });
  if (problem !== null) return invalid(problem);
  const client = principal.clientId === null ? undefined : await findClient(parts.db, principal.clientId);
  return {
    tool: entry.tool.name,
    argument,
    toolTitle: entry.tool.title,
    serviceTitle: entry.connector.title,
    clientName: client?.clientName ?? null,
    externalUserId: principal.externalUserId,
    name: typeof args.name === 'string' ? toFileName(args.name) : null,
    mediaType: typeof mediaType === 'string' ? essenceOf(mediaType) : null,
    mediaTypes: limits.mediaTypes,
    maxBytes,
  };
}

interface Announced {
  readonly mediaType: unknown;
  readonly bytes: number;
  readonly maxBytes: number;
  readonly limits: FileArgument;
}

function findProblem({ mediaType, bytes, maxBytes, limits: { mediaTypes } }: Announced): string | null {
  if (bytes > maxBytes) return `"bytes" must be at most ${maxBytes}: larger files are not taken.`;
  if (mediaType === null) return null;
  if (typeof mediaType !== 'string' || !isMediaType(mediaType))
    return '"mediaType" must be one media type, such as image/png.';
  if (mediaTypes.length === 0 || isAccepted(mediaType, mediaTypes)) return null;
  return `"mediaType" must be of ${mediaTypes.join(', ')}.`;
}

/** Asks the user to send the file, where the client opens pages; tells the addresses otherwise. */
function offer(
  principal: Principal,
  { args, request, context }: RequestCall,
  { upload, parts }: { readonly upload: NewUpload; readonly parts: ToolParts },
): ToolResult {
  const { uploads, states, publicUrl, now } = parts;
  const otherwise = toResult(upload.handle, request, { upload, publicUrl });
  if (!canElicit(context.clientCapabilities, 'url')) return otherwise;
  const message = `${request.serviceTitle} needs a file for "${request.toolTitle}". Open the page to choose and send it, then continue.`;
  const url = `${publicUrl}${PAGE_PATH}/${upload.id}`;
  const question: InputRequiredToolResult = {
    resultType: 'input_required',
    inputRequests: { [UPLOAD]: { method: 'elicitation/create', params: { mode: 'url', message, url } } },
    requestState: states.seal(upload, { holder: holderOfCall(principal, args), expiresAt: now() + ADDRESS_TTL_MS }),
  };
  if (context.era === '2026') return question;
  const isDone = async (caller: Principal) => (await uploads.stateOf(caller, upload.handle, request)) === 'stored';
  return { ...question, inSession: { otherwise, isDone } };
}

/** Answers a call that continues after its user was asked. @throws {InvalidCallError} */
async function continueCall(
  principal: Principal,
  { args, request, context }: RequestCall,
  { uploads, states, publicUrl, now }: ToolParts,
): Promise<CompleteToolResult> {
  const holder = holderOfCall(principal, args);
  const upload = states.open(context.requestState ?? '', { holder, now: now() }) as NewUpload | undefined;
  if (upload === undefined)
    throw new InvalidCallError(
      'Invalid requestState: it is too old, or belongs to another call. Call again without it.',
    );
  const state = await uploads.stateOf(principal, upload.handle, request);
  return toResult(upload.handle, request, { upload: state === 'stored' ? null : upload, publicUrl });
}

function holderOfCall({ partnerId, userId, grantId, tokenId }: Principal, args: Arguments): string {
  const digest = createHash('sha256').update(stableJson(args), 'utf8').digest('base64url');
  return JSON.stringify([partnerId, userId, grantId ?? tokenId, digest]);
}

/** @param options.upload where the file is sent. Null if it was stored. */
function toResult(
  handle: string,
  { tool, argument, maxBytes, mediaTypes }: UploadRequest,
  { upload, publicUrl }: { readonly upload: NewUpload | null; readonly publicUrl: string },
): CompleteToolResult {
  const use = `call ${tool} with "${handle}" as "${argument}" within an hour.`;
  if (upload === null) return toToolResult({ handle, isStored: true }, `The file was uploaded. Now ${use}`);
  const facts = {
    handle,
    isStored: false,
    putUrl: `${publicUrl}${PUT_PATH}/${upload.address}`,
    pageUrl: `${publicUrl}${PAGE_PATH}/${upload.id}`,
    expiresAt: new Date(upload.expiresAt).toISOString(),
    maxBytes,
    mediaTypes,
  };
  const how = `PUT the bytes to putUrl within ${MINUTES} minutes, in one request with the Content-Type of the file; or ask the user to send the file on pageUrl.`;
  return toToolResult(facts, `${how} Then ${use}`);
}

function toToolResult(upload: object, instructions: string): CompleteToolResult {
  const structuredContent = { upload };
  const texts = [JSON.stringify(structuredContent), instructions];
  return { content: texts.map((text) => ({ type: 'text', text: escapeTags(text) })), structuredContent };
}

function noSuchTool(name: string, nearest: readonly string[]): CompleteToolResult {
  const suggestion = nearest.length === 0 ? '' : ` Did you mean ${nearest.join(' or ')}?`;
  return invalid(`There is no tool ${JSON.stringify(name)} for this client.${suggestion}`);
}

function noFileArgument(argument: string, { tool }: CatalogueEntry): CompleteToolResult {
  const names = fileArgumentsOf(tool);
  const others =
    names.length === 0 ? `${tool.name} takes no file.` : `File arguments of ${tool.name}: ${names.join(', ')}.`;
  return invalid(`${JSON.stringify(argument)} takes no file. ${others}`);
}

function invalid(message: string): CompleteToolResult {
  return refuse('invalid_arguments', { message }).result;
}

function tooManyUploads(): CompleteToolResult {
  return refuse('too_many_calls', {
    message: `This user has ${MAX_UPLOADS} uploads.`,
    advice: 'Use those, or ask again later: an address is valid for 10 minutes, a file for an hour.',
  }).result;
}
