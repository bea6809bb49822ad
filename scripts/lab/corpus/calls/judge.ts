/** Checks requests against the published document with a third-party validator. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { middleware } from 'express-openapi-validator';
import { toRecord } from '../../../../codegen/json.ts';
import { resolve as follow } from '../document.ts';
import { isContradicted } from './contradictions.ts';
import { type Operation, toQueryKey, toSpec } from './spec.ts';
import type { ArrivedRequest } from './wire.ts';

export interface Judge {
  /** One sentence for each problem. @param isOpen as in `SpecOptions`. */
  judge(request: ArrivedRequest, operation: Operation, isOpen: boolean): Promise<string[]>;
  close(): Promise<void>;
}

/** Prefix of a fault that means that the validator could not read the document. */
const UNREAD = 'The document was not read: ';

/** Prefix of a fault that every possible request would have. */
const CONTRADICTED = 'The document contradicts itself: ';

/** Whether a fault is not caused by the request. */
export function isUnjudged(fault: string): boolean {
  return fault.startsWith(UNREAD) || fault.startsWith(CONTRADICTED);
}

/** The validator does not parse objects in paths and headers, and supports only one style of path parameters. */
const UNREAD_FORMS =
  /^\/(params|headers)\/.*: must be object$|: Parameter 'style' has incorrect value '(matrix|label)'/;

/** The server in the corpus's `connector.yaml` for descriptors that name no host. */
const NO_HOST = 'https://corpus.example';
const LIMIT = '8mb';
/** Headers of the connection, not of the message. */
const HOP_BY_HOP = ['host', 'connection', 'transfer-encoding', 'content-length', 'expect', 'content-encoding'];

/**
 * Form values are strings until the validator parses them; JSON values have their types. A request without a body has no content type.
 */
type Kind = 'json' | 'form' | 'none';

/** @param document as published, parsed. @param operations the called ones; only they are read. */
export async function openJudge(
  document: Readonly<Record<string, unknown>>,
  operations: readonly Operation[],
): Promise<Judge> {
  const origins = new Map<string, Promise<{ readonly origin: string; close(): Promise<void> }>>();
  const bases = basesOf(document);
  const brackets = bracketNamesOf(document);
  return {
    async judge(request, operation, isOpen) {
      const sent = `${request.origin}${request.url}`;
      const base = bases.find((one) => [`${one}/`, `${one}?`].some((start) => sent.startsWith(start)) || sent === one);
      if (base === undefined) return [`no server of the document is at ${sent.slice(0, 120)}`];
      const type = request.headers['content-type']?.[0] ?? '';
      const kind =
        request.body.length === 0 ? 'none' : /^(multipart|application\/x-www-form)/.test(type) ? 'form' : 'json';
      if (/xml/.test(type)) return [`${UNREAD}it knows no XML`];
      if (kind === 'none' && needsBody(document, operation)) return ['the body is missing'];
      const opened = origins.get(`${kind} ${isOpen}`) ?? openValidator(document, operations, kind, isOpen);
      origins.set(`${kind} ${isOpen}`, opened);
      const rest = withQueryKeys(sent.slice(base.length), brackets);
      const faults = await ask(`${(await opened).origin}${rest.startsWith('/') ? rest : `/${rest}`}`, request);
      if (faults.length === 0) return [];
      const spec = toSpec(document, operations, { withBodies: true, isOpen: false });
      const isEach = faults.every((fault) => isContradicted(spec, operation, type, fault));
      return isEach ? faults.map((fault) => `${CONTRADICTED}${fault}`) : faults;
    },
    async close() {
      for (const opened of origins.values()) await (await opened).close();
    },
  };
}

async function openValidator(
  document: Readonly<Record<string, unknown>>,
  operations: readonly Operation[],
  kind: Kind,
  isOpen: boolean,
): Promise<{ readonly origin: string; close(): Promise<void> }> {
  const app = express();
  const spec = toSpec(document, operations, { withBodies: kind !== 'none', isOpen });
  app.set('query parser', 'extended');
  app.use(express.json({ limit: LIMIT, strict: false, type: ['application/json', 'application/*+json', '*/json'] }));
  app.use(express.text({ limit: LIMIT, type: ['text/*', 'application/xml'] }));
  app.use(express.urlencoded({ limit: LIMIT, extended: true }));
  app.use(express.raw({ limit: LIMIT, type: ['application/octet-stream', 'image/*', 'audio/*', 'video/*'] }));
  app.use(readCookies);
  app.use(
    middleware({
      apiSpec: spec as never,
      validateApiSpec: false,
      validateRequests: { allErrors: true, ...(kind === 'form' ? { coerceTypes: 'array' } : {}) },
      validateResponses: false,
      validateSecurity: false,
      validateFormats: true,
      fileUploader: { limits: { fieldSize: 8e6 } },
    }),
  );
  app.use((_request, response) => {
    response.json([]);
  });
  const onError: ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(200).json(toFaults(error));
  };
  app.use(onError);
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Names with brackets, such as `ids[]`. */
function bracketNamesOf(document: unknown): ReadonlySet<string> {
  const names = JSON.stringify(document).matchAll(/"name":("[^"\\]*\[[^"\\]*")/g);
  return new Set([...names].map(([, name = '""']) => JSON.parse(name) as string));
}

/** The URL with the query names that `toSpec` uses. */
function withQueryKeys(url: string, brackets: ReadonlySet<string>): string {
  const [path = '', query] = url.split(/\?(.*)/s);
  if (query === undefined) return url;
  const pairs = query.split('&').map((pair) => {
    const [key = '', ...rest] = pair.split('=');
    const name = decodeURIComponent(key);
    return [brackets.has(name) ? encodeURIComponent(toQueryKey(name)) : key, ...rest].join('=');
  });
  return `${path}?${pairs.join('&')}`;
}

const readCookies: RequestHandler = (request, _response, next) => {
  const pairs = (request.headers.cookie ?? '').split(/;\s*/).filter((pair) => pair !== '');
  const split = pairs.map((pair) => [pair.split('=', 1)[0], decodeURIComponent(pair.slice(pair.indexOf('=') + 1))]);
  request.cookies = Object.fromEntries(split);
  next();
};

async function ask(url: string, { method, headers, body }: ArrivedRequest): Promise<string[]> {
  const kept = Object.entries(headers)
    .filter(([name]) => !HOP_BY_HOP.includes(name))
    .flatMap(([name, values]) => values.map((value): [string, string] => [name, value]));
  const sent = body.length === 0 ? {} : { body: Readable.toWeb(Readable.from([body])), duplex: 'half' };
  const response = await fetch(url, { method, headers: kept, ...sent } as RequestInit);
  if (method === 'HEAD') return [];
  return (await response.json()) as string[];
}

function toFaults(error: unknown): string[] {
  const { errors, message, status } = toRecord(error);
  if (status === undefined || status === 500) return [`${UNREAD}${message}`];
  const faults = (Array.isArray(errors) ? errors : []).map((one) => `${toRecord(one).path}: ${toRecord(one).message}`);
  if (faults.length > 0 && faults.every((fault) => UNREAD_FORMS.test(fault)))
    return faults.map((fault) => `${UNREAD}${fault}`);
  return faults.length > 0 ? faults : [`${status} ${message}`];
}

function needsBody(document: Readonly<Record<string, unknown>>, { method, path }: Operation): boolean {
  const operation = toRecord(toRecord(toRecord(document.paths)[path])[method.toLowerCase()]);
  const { parameters } = operation;
  const inBody = (Array.isArray(parameters) ? parameters : [])
    .map((one) => follow(document, one))
    .some((one) => one.in === 'body' && one.required === true);
  return inBody || follow(document, operation.requestBody).required === true;
}

/** Base URLs, longest first: every server of the document, with the defaults of its variables. */
function basesOf(document: Readonly<Record<string, unknown>>): string[] {
  const { host, basePath = '', schemes } = document;
  const items = Object.values(toRecord(document.paths)).map(toRecord);
  const holders = [document, ...items, ...items.flatMap((item) => Object.values(item).map(toRecord))];
  const urls = holders.flatMap(({ servers }) => (Array.isArray(servers) ? servers.map(toUrl) : []));
  const named = Array.isArray(schemes) ? schemes : ['https'];
  const swagger =
    host === undefined ? [`${basePath}`] : [...named, 'https'].map((scheme) => `${scheme}://${host}${basePath}`);
  return [...new Set([...urls, ...swagger])]
    .flatMap((url) => {
      const isAbsolute = /^https?:\/\/[^/]/i.test(url) && URL.canParse(url);
      return isAbsolute ? [url, new URL(url).href] : [`${NO_HOST}/${url.replace(/^\/+/, '')}`, NO_HOST];
    })
    .map((url) => url.replace(/\/+$/, ''))
    .sort((a, b) => b.length - a.length);
}

function toUrl(server: unknown): string {
  const { url, variables } = toRecord(server);
  return String(url ?? '/').replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const { default: value } = toRecord(toRecord(variables)[name]);
    return value === undefined ? whole : String(value);
  });
}
