/** Parses single settings: each function returns the value, or throws the problem, to follow the variable's name. */

import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { isLoopbackHostname, isLoopbackOrigin } from '../base/http/loopback.ts';
import { isPrivateUseScheme } from '../identity/protocol/redirect-uri.ts';

const MAX_WORKERS = 64;

/** A zod schema around a function that throws the problem. */
export function parsedBy<Value>(parse: (text: string) => Value) {
  return z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  });
}

/** A whole number in decimal digits, from `min` to `max`; its `type` says so. */
export function wholeNumber(min: number, max: number) {
  return parsedBy((text) => {
    const value = Number(text);
    if (!/^\d{1,15}$/.test(text) || value < min || value > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`);
    }
    return value;
  }).meta({ type: `number from ${min} to ${max}` });
}

/** A number of processes; `auto`: as many as the machine, or its container, runs at once. */
export function parseWorkers(text: string): number {
  const count = text === 'auto' ? Math.min(availableParallelism(), MAX_WORKERS) : Number(text);
  if (text === 'auto' || (/^[1-9]\d?$/.test(text) && count <= MAX_WORKERS)) return count;
  throw new Error(`must be auto, or a whole number from 1 to ${MAX_WORKERS}`);
}

/** Some of the words, separated by commas, in the order of the list. */
export function parseChoices<const Word extends string>(words: readonly Word[]) {
  return (text: string): readonly Word[] => {
    const chosenWords = text.split(',').map((word) => word.trim());
    if (chosenWords.every((word) => words.some((allowed) => allowed === word)))
      return words.filter((word) => chosenWords.includes(word));
    throw new Error(`must be some of ${words.join(', ')}, separated by commas`);
  };
}

/** An origin without a final slash; https, or http for this machine. */
export function parsePublicUrl(text: string): string {
  const origin = parseOrigin(text);
  if (origin.startsWith('http:') && !isLoopbackOrigin(origin)) {
    throw new Error('must begin with https://; http:// is for this machine only');
  }
  return origin;
}

/** Origins separated by commas. */
export function parseOrigins(text: string): string[] {
  return text.split(',').map((origin) => parseOrigin(origin.trim()));
}

/** An origin that begins with https:// or http://, without a final slash. */
export function parseOrigin(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new Error('must be an origin that begins with https:// or http://');
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new Error('must be an origin only: no path, query, fragment or user');
  }
  return url.origin;
}

/** URI schemes of applications, without the colon, separated by commas. */
export function parsePrivateUseSchemes(text: string): string[] {
  return text.split(',').map((part) => {
    const scheme = part.trim().toLowerCase();
    if (!isPrivateUseScheme(scheme)) throw new Error("must be schemes of applications' own, without a colon");
    return scheme;
  });
}

/** An IP address or a host name. */
export function parseHost(text: string): string {
  const address = text.replace(/^\[(.*)\]$/, '$1');
  if (URL.canParse(`http://[${address}]`) || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(address)) return address;
  throw new Error('must be an IP address or a host name, without a port');
}

/** Host names or addresses without a port, separated by commas. */
export function parseHosts(text: string): string[] {
  return text.split(',').map((part) => {
    const host = parseHost(part.trim());
    return new URL(`http://${host.includes(':') ? `[${host}]` : host}`).hostname;
  });
}

/** Address to listen on. */
export interface ListenAddress {
  /** An IP address or a host name. */
  readonly host: string;
  readonly port: number;
}

/** A host and a port, `[::1]:3001` for IPv6. */
export function parseListenAddress(text: string): ListenAddress {
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(text) ?? [];
  const number = Number(port);
  if (number < 1 || number > 65_535) throw new Error('must be an address and a port, separated by a colon');
  return { host: parseHost(host), port: number };
}

/** The origin at which a listener on this address is reached. */
export function originAt({ host, port }: ListenAddress): string {
  return new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`).origin;
}

/** `sqlite:<path>`, or a URL of PostgreSQL. */
export function parseDatabaseUrl(text: string): string {
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length);
    if (path === '' || path === ':memory:' || path.endsWith('/')) throw new Error('must name a file after sqlite:');
    return text;
  }
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new Error('must begin with sqlite: or postgres://');
}

export function parseRedisUrl(text: string): string {
  const path = URL.parse(text)?.pathname;
  if (path !== undefined && /^rediss?:\/\/[^/]/.test(text) && /^(\/\d*)?$/.test(path)) return text;
  throw new Error('must begin with redis:// or rediss://, and end with the host or the number of a database');
}

/** The URL of an OpenID provider, as in `iss`: https, or http for this machine; without query and fragment. */
export function parseProviderUrl(text: string): string {
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHostname(url.hostname));
  if (url !== null && isSafe && url.search === '' && url.hash === '' && url.username === '') return text;
  throw new Error('must be the URL of an OpenID provider: https, without query, fragment and user');
}

/** The origin of a proxy, with a user and a password if it needs them. */
export function parseProxyUrl(text: string): string {
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url !== null && isHttp && url.pathname === '/' && url.search === '' && url.hash === '') return url.href;
  throw new Error('must be a URL of an HTTP proxy that begins with http:// or https://, without a path');
}

/** Scopes separated by spaces, `openid` among them. */
export function parseOpenIdScope(text: string): string {
  const scopes = text.split(' ').filter((scope) => scope !== '');
  if (!scopes.includes('openid')) throw new Error('must name scopes separated by spaces, openid among them');
  return scopes.join(' ');
}

const MIN_ADMIN_SECRET_LENGTH = 20;
const MAX_ADMIN_SECRET_LENGTH = 512;

/** A secret that cannot be guessed with the attempts that the sign-in page allows. */
export function parseAdminSecret(text: string): string {
  const secret = text.trim();
  if (secret.length < MIN_ADMIN_SECRET_LENGTH || secret.length > MAX_ADMIN_SECRET_LENGTH) {
    throw new Error(`must have ${MIN_ADMIN_SECRET_LENGTH} to ${MAX_ADMIN_SECRET_LENGTH} characters`);
  }
  const weakness = weaknessOfSecret(secret);
  if (weakness !== null) throw new Error(`${weakness}: create one with openssl rand -base64 24`);
  return secret;
}

/** Of a secret that was generated at random, and neither typed nor copied. */
const MIN_DIFFERENT = 10;

/** From documentation and from keyboards. */
const SAMPLES = /change.?me|password|passw0rd|placeholder|example|your.?secret|admin.?secret|letmein|qwerty|\$\(/i;

/** Says what is wrong with a secret, or null. */
function weaknessOfSecret(secret: string): string | null {
  if (SAMPLES.test(secret)) return 'holds a sample value';
  if (new Set(secret).size < MIN_DIFFERENT) return 'has too few different characters';
  if (/^(.+?)\1+.?$/.test(secret)) return 'repeats one part';
  const codes = [...secret].map((character) => character.codePointAt(0) ?? 0);
  const inSequence = codes.filter((code, index) => Math.abs(code - (codes[index - 1] ?? Number.NaN)) <= 1).length;
  return inSequence * 2 > codes.length ? 'is a sequence' : null;
}

/** Parses the address that telemetry is sent to, a URL without a final slash. */
export function parseEndpoint(text: string): string {
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url !== null && isHttp && url.username === '' && url.hash === '') return text.replace(/\/+$/, '');
  throw new Error('must be a URL that begins with https:// or http://, without user and fragment');
}

/** Names separated by commas. */
export function parseNames(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

/** A number from 0 to 1. */
export function parseRatio(text: string): number {
  const value = Number(text);
  if (/^\d*\.?\d+$/.test(text) && value <= 1) return value;
  throw new Error('must be a number from 0 to 1');
}
