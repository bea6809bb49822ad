/** A sandbox that serves the bookshop of `fixture/`, and how to ask it. */

import { join } from 'node:path';
import { loadDescriptor } from '../../sandbox/descriptor/load.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/start.ts';

export const FIXTURE = join(import.meta.dirname, 'fixture/openapi.yaml');
export const KEY = { 'x-key': 'any' };
export const PAGES = {
  'GET /books': {
    cursorParameter: 'cursor',
    next: '/pagination/next_cursor',
    queryParameter: null,
    more: null,
    records: null,
  },
};

export interface Body {
  readonly message: string;
  readonly violations: unknown;
  readonly title: string;
  readonly books: readonly { readonly id: number }[];
  readonly pagination: { readonly next_cursor: string | null; readonly total_count: number };
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export async function startBookshop(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const document = await loadDescriptor(FIXTURE);
  return startSandbox({ services: [{ name: 'bookshop', document, pages: PAGES }], ...options });
}

export async function ask(sandbox: Sandbox, path: string, init: RequestInit = {}): Promise<Reply> {
  const headers = init.headers ?? KEY;
  const response = await fetch(`${sandbox.origin}/bookshop/api/v2${path}`, { ...init, headers, redirect: 'manual' });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson && text !== '' ? JSON.parse(text) : text };
}

export function postJson(body: unknown, headers: Record<string, string> = {}): RequestInit {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { method: 'POST', headers: { ...KEY, 'content-type': 'application/json', ...headers }, body: text };
}
