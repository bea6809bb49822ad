/** Requires the credential that the descriptor's security schemes ask for. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { decodeText, type QueryPair } from '../decode/query.ts';
import type { SandboxDescriptor, SandboxOperation } from '../descriptor/operations.ts';
import type { JsonObject } from '../json.ts';

interface SentCredentials {
  readonly query: readonly QueryPair[];
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Null: the request may pass. Otherwise what is missing or wrong, in one sentence without the value.
 *
 * @param accepted the only secret that passes (for HTTP basic: `username:password` or the password alone);
 *   null: any that is not empty
 */
export function checkCredential(
  sent: SentCredentials,
  operation: SandboxOperation,
  descriptor: SandboxDescriptor,
  accepted: string | null,
): string | null {
  if (operation.security.length === 0) return null;
  const reasons: string[] = [];
  for (const names of operation.security) {
    const reason = names
      .map((name) => checkScheme(sent, name, descriptor.securitySchemes[name] ?? {}, accepted))
      .find((problem) => problem !== null);
    if (reason === undefined) return null;
    reasons.push(reason);
  }
  return reasons.join('; or ');
}

/** The query without the parameters that carry a credential: they are declared as security, not as parameters. */
export function removeCredentials(query: readonly QueryPair[], descriptor: SandboxDescriptor): QueryPair[] {
  const names = new Set(
    Object.values(descriptor.securitySchemes)
      .filter((scheme) => scheme.type === 'apiKey' && scheme.in === 'query')
      .map((scheme) => scheme.name),
  );
  return query.filter(({ name }) => !names.has(name));
}

function checkScheme(sent: SentCredentials, name: string, scheme: JsonObject, accepted: string | null): string | null {
  const { secrets, where } = readSecrets(sent, scheme);
  if (!secrets.some((secret) => secret !== '')) return `${name} asks for ${where}, and the request has none`;
  const passes = accepted === null || secrets.some((secret) => equals(secret, accepted));
  return passes ? null : `${name}: this sandbox does not accept the secret in ${where}`;
}

function readSecrets(sent: SentCredentials, scheme: JsonObject): { secrets: string[]; where: string } {
  const name = String(scheme.name ?? '');
  if (scheme.type === 'apiKey' && scheme.in === 'query') {
    const values = sent.query.filter((pair) => pair.name === name).map(({ raw }) => decodeText(raw));
    return { secrets: values, where: `the query parameter ${name}` };
  }
  if (scheme.type === 'apiKey' && scheme.in === 'header') {
    return { secrets: [sent.headers[name.toLowerCase()] ?? ''], where: `the header ${name}` };
  }
  if (scheme.type === 'apiKey') {
    const cookies = (sent.headers.cookie ?? '').split(';').map((part) => part.trim());
    const values = cookies.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
    return { secrets: values.length === 1 ? values : [], where: `the cookie ${name}` };
  }
  const basic = String(scheme.scheme).toLowerCase() === 'basic';
  const [, kind = '', secret = ''] = /^(\S+)\s+(.*)$/.exec(sent.headers.authorization ?? '') ?? [];
  const where = `the header Authorization (${basic ? 'Basic' : 'Bearer'})`;
  if (kind.toLowerCase() !== (basic ? 'basic' : 'bearer')) return { secrets: [], where };
  if (!basic) return { secrets: [secret], where };
  const pair = Buffer.from(secret, 'base64').toString('utf8');
  return { secrets: pair.includes(':') ? [pair, pair.slice(pair.indexOf(':') + 1)] : [], where };
}

function equals(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
