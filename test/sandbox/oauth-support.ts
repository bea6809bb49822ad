/** A sandbox that serves the calendar of `fixture/oauth.yaml`, and a client that asks its authorization server. */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { loadDescriptor } from '../../sandbox/descriptor/load.ts';
import type { ConnectorOAuth } from '../../sandbox/oauth/rules.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/start.ts';

export const REDIRECT_URI = 'http://127.0.0.1:9/callback';
export const VERIFIER = 'the-code-verifier-of-this-test-is-43-characters';
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly [member: string]: unknown;
    readonly access_token: string;
    readonly refresh_token: string;
    readonly error: string;
  };
}

export async function startCalendar(
  options: Partial<SandboxOptions> & { readonly oauth?: ConnectorOAuth } = {},
): Promise<Sandbox> {
  const document = await loadDescriptor(join(import.meta.dirname, 'fixture/oauth.yaml'));
  const { oauth = null, ...others } = options;
  return startSandbox({ services: [{ name: 'calendar', document, oauth }], ...others });
}

/** The address of an authorization request; null removes a parameter. */
export function authorizeUrl(sandbox: Sandbox, changes: Readonly<Record<string, string | null>> = {}): string {
  const url = new URL('/oauth/authorize', sandbox.origin);
  const parameters = {
    response_type: 'code',
    client_id: 'gateway',
    redirect_uri: REDIRECT_URI,
    scope: 'events.read',
    state: 'the-state',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...changes,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null) url.searchParams.set(name, value);
  }
  return url.href;
}

/** Presses a button of the authorize page. @returns where the browser is sent. */
export async function decide(url: string, decision = 'allow', user = 'ada'): Promise<URLSearchParams> {
  const body = new URLSearchParams({ user, decision });
  const response = await fetch(url, { method: 'POST', body, redirect: 'manual' });
  return new URL(response.headers.get('location') ?? 'http://none.invalid').searchParams;
}

export async function postForm(
  url: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = basic('gateway', 'the-secret'),
): Promise<Answer> {
  return read(await fetch(url, { method: 'POST', body: new URLSearchParams(form), headers }));
}

export async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

export function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

/** Redeems the code of an authorization that the user allowed. */
export async function signIn(sandbox: Sandbox, changes: Readonly<Record<string, string | null>> = {}): Promise<Answer> {
  const code = (await decide(authorizeUrl(sandbox, changes))).get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER };
  return postForm(`${sandbox.origin}/oauth/token`, form);
}

export function refresh(sandbox: Sandbox, refreshToken: string): Promise<Answer> {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
  return postForm(`${sandbox.origin}/oauth/refresh`, form);
}

/** Calls an operation of the calendar. */
export async function callApi(
  sandbox: Sandbox,
  token: string | null,
  method = 'GET',
  path = '/events',
): Promise<Answer> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  return read(await fetch(`${sandbox.origin}/calendar/v1${path}`, { method, headers }));
}
