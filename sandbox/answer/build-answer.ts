/**
 * Chooses the answer to a request that the descriptor allows: the first example that fits its own schema, otherwise a
 * body generated from the schema.
 */

import type { DescriptorChecks } from '../check/request.ts';
import type {
  SandboxDescriptor,
  SandboxMediaType,
  SandboxOperation,
  SandboxResponse,
} from '../descriptor/operations.ts';
import { isObject, type JsonObject } from '../json.ts';
import { isJson, toEssence } from '../media-types.ts';
import { fakeBody } from './fake-body.ts';

interface Answer {
  readonly status: number;
  /** Null if the answer has no body. */
  readonly mediaType: string | null;
  /** A JSON value where the media type is JSON; otherwise bytes. */
  readonly body: unknown;
}

const BOUNDARY = 'sandbox-part';

/** The smallest PNG, for answers that are images. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/**
 * The first success that the descriptor declares for an operation.
 *
 * @param requestValues values of the request, one of which may be the media type that it wants; otherwise JSON is preferred.
 */
export function buildAnswer(
  operation: SandboxOperation,
  descriptor: SandboxDescriptor,
  checks: DescriptorChecks,
  requestValues: readonly unknown[] = [],
): Answer {
  const response = operation.responses.find(({ status }) => /^2(\d\d|XX)$/i.test(status)) ?? findDefault(operation);
  const status = toStatus(response?.status ?? '204');
  const types = response?.mediaTypes ?? [];
  const mediaType =
    types.find(({ name }) => requestValues.includes(toEssence(name))) ??
    types.find(({ name }) => isJson(name)) ??
    types[0];
  if (mediaType === undefined) return { status, mediaType: null, body: undefined };
  if (!isJson(mediaType.name)) return toStream(status, mediaType, descriptor) ?? toBytes(status, mediaType);
  const fits = (candidate: unknown): boolean => checks.checkAnswer(operation, status, candidate).length === 0;
  const example = mediaType.examples.find(({ value }) => fits(value));
  if (example !== undefined) return { status, mediaType: mediaType.name, body: structuredClone(example.value) };
  const fake = fakeBody(mediaType.schema ?? {}, descriptor.schemas.response, fits);
  const body = fits(fake) ? fake : structuredClone(mediaType.examples[0]?.value ?? fake);
  return { status, mediaType: mediaType.name, body };
}

/**
 * The descriptor's own example of an error status, of its range (`5XX`) or of `default`; null if it has none. For 401
 * also an example of another 4xx status whose name mentions the credential, because some upstreams report a wrong key
 * as a bad request.
 */
export function findErrorExample(operation: SandboxOperation, status: number): Answer | null {
  const otherErrors = status === 401 ? operation.responses.filter((response) => /^4\d\d$/.test(response.status)) : [];
  return (
    exampleOf(operation, String(status)) ??
    otherErrors.map((response) => exampleOf(operation, response.status, isAboutCredential)).find(isAnswer) ??
    [`${String(status)[0]}XX`, 'default']
      .map((range) => exampleOf(operation, range))
      .filter(isAnswer)
      .map((example) => ({ ...example, status }))[0] ??
    null
  );
}

function isAnswer(answer: Answer | null): answer is Answer {
  return answer !== null;
}

function isAboutCredential(name: string): boolean {
  return /key|credential|unauthori/i.test(name);
}

function exampleOf(operation: SandboxOperation, status: string, fits = (_name: string) => true): Answer | null {
  const response = operation.responses.find((candidate) => candidate.status.toUpperCase() === status.toUpperCase());
  for (const { name, examples } of response?.mediaTypes ?? []) {
    const example = isJson(name) ? examples.find((candidate) => fits(candidate.name)) : undefined;
    if (example !== undefined) return { status: toStatus(status), mediaType: name, body: example.value };
  }
  return null;
}

/**
 * Copies request values into the members of the answer that have the same name, where the answer still fits the
 * descriptor: members of a JSON body, path parameters, and the last path parameter as `id`.
 */
export function echoRequest(
  body: unknown,
  request: { readonly operation: SandboxOperation; readonly path: JsonObject; readonly body: unknown },
  isValid: (candidate: unknown) => boolean,
): unknown {
  if (!isObject(body)) return body;
  const members = Object.entries({ ...(isObject(request.body) ? request.body : {}), ...request.path });
  const last = /\{([^{}]+)\}[^{}/]*$/.exec(request.operation.path)?.[1];
  if (last !== undefined) members.push(['id', request.path[last]]);
  let current: JsonObject = body;
  for (const [name, value] of members) {
    for (const holder of [null, ...Object.keys(current).filter((key) => isObject(current[key]))]) {
      const next = structuredClone(current);
      const target = holder === null ? next : (next[holder] as JsonObject);
      if (!Object.hasOwn(target, name)) continue;
      target[name] = typeof target[name] === 'number' && typeof value === 'string' ? Number(value) : value;
      if (isValid(next)) current = next;
      break;
    }
  }
  return current;
}

function findDefault(operation: SandboxOperation): SandboxResponse | undefined {
  return operation.responses.find(({ status }) => status === 'default');
}

function toStatus(status: string): number {
  if (status === 'default') return 200;
  return Number(status.replace(/X/gi, '0'));
}

/** Returns null if the media type is no stream, or has no item schema. */
function toStream(
  status: number,
  { name, itemSchema }: SandboxMediaType,
  descriptor: SandboxDescriptor,
): Answer | null {
  if (itemSchema === null || !isStream(name)) return null;
  const fake = (schema: JsonObject) => fakeBody(schema, descriptor.schemas.response, () => true);
  const item = fake(itemSchema);
  const data = isObject(itemSchema.properties) ? itemSchema.properties.data : undefined;
  if (isObject(item) && isObject(data) && isObject(data.contentSchema)) item.data = fake(data.contentSchema);
  return { status, mediaType: toStreamType(name), body: toStreamBody(name, [item, item]) };
}

function toBytes(status: number, mediaType: SandboxMediaType): Answer {
  const name = mediaType.name.replace('*/*', 'application/octet-stream').replace('/*', '/png');
  const example = mediaType.examples[0]?.value;
  if (typeof example === 'string') return { status, mediaType: name, body: Buffer.from(example) };
  if (name.startsWith('image/')) return { status, mediaType: name, body: Buffer.from(PIXEL, 'base64') };
  return { status, mediaType: name, body: Buffer.from('A sample answer of the sandbox.\n') };
}

/** Returns true if `toStreamBody` can write the media type. */
function isStream(mediaType: string): boolean {
  return /^text\/event-stream$|[/+](x-)?ndjson$|\/(x-)?jsonl(ines)?$|\/stream\+json$|[/+]json-seq$|^multipart\/mixed$/.test(
    toEssence(mediaType),
  );
}

/** The Content-Type of the stream, with the boundary where there is one. */
function toStreamType(mediaType: string): string {
  return toEssence(mediaType) === 'multipart/mixed' ? `multipart/mixed; boundary=${BOUNDARY}` : mediaType;
}

/** Writes a stream of items, as its media type frames them (OpenAPI 3.2 §4.14.1). */
function toStreamBody(mediaType: string, items: readonly unknown[]): Buffer {
  const essence = toEssence(mediaType);
  if (essence === 'text/event-stream') return Buffer.from(items.map(toEvent).join(''));
  if (essence === 'multipart/mixed') {
    const parts = items.map(
      (item) => `--${BOUNDARY}\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(item)}\r\n`,
    );
    return Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`);
  }
  const start = essence.endsWith('json-seq') ? '\x1e' : '';
  return Buffer.from(items.map((item) => `${start}${JSON.stringify(item)}\n`).join(''));
}

/** A string field is written as it is, any other as JSON. */
function toEvent(item: unknown): string {
  const fields = isObject(item) ? Object.entries(item) : [['data', item] as const];
  const lines = fields.flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return text.split('\n').map((line) => `${name}: ${line}\n`);
  });
  return `${lines.join('')}\n`;
}
