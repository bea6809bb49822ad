/**
 * OAuth 2.0 at the upstream: which hosts see tokens and secrets, which scopes users are asked for, and which a tool
 * needs.
 */

import { isRecord, isSame } from '../../json.ts';
import { selectScopes } from '../../select-scopes.ts';
import type { Finding, ServiceSurface, ToolSurface } from '../types.ts';
import { type CredentialPart, partsOf } from './credential.ts';

const ENDPOINTS = [
  ['authorizationUrl', 'authorization'],
  ['tokenUrl', 'token'],
  ['refreshUrl', 'refresh'],
  ['revocationUrl', 'revocation'],
] as const;

const AT_CREDENTIAL = { pointer: ['credential'] };

/** @param before null for a new service, whose hosts and scopes need a decision as well. */
export function checkSignIn(before: ServiceSurface | null, after: ServiceSurface): Finding[] {
  return [...checkHosts(before, after), ...checkRequestedScopes(before, after), ...checkRules(before, after)];
}

/** A tool needs more scopes if a connection that was sufficient before no longer is. */
export function checkScopes(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [scopesOf(before), scopesOf(after)];
  if (isSame(old, now)) return [];
  const isEnough = (granted: readonly string[]) =>
    now.length === 0 || now.some((needed) => needed.every((scope) => granted.includes(scope)));
  const needsMore = (old.length === 0 ? [[]] : old).some((granted) => !isEnough(granted));
  const rule = needsMore ? 'tool-needs-scope' : 'tool-needs-fewer-scopes';
  const added = [...new Set(now.flat())].filter((scope) => !old.flat().includes(scope)).sort();
  const group = needsMore && added.length > 0 ? { group: added.join(' ') } : {};
  return [{ rule, place: 'scopes', ...values(old, now), pointer: ['scopes'], ...group }];
}

/** A tool needs more if it names what connections may not have (`credential.extras`). */
export function checkExtra(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [before.members.extra, after.members.extra];
  if (isSame(old, now)) return [];
  const rule = now === undefined ? 'tool-needs-no-extra' : 'tool-needs-extra';
  const group = typeof now === 'string' ? { group: now } : {};
  return [{ rule, place: 'extra', before: old, after: now, pointer: ['extra'], ...group }];
}

/** One finding for each host that now sees something it did not see before. */
function checkHosts(before: ServiceSurface | null, after: ServiceSurface): Finding[] {
  const [old, now] = [rolesByHost(before), rolesByHost(after)];
  return [...now].flatMap(([host, roles]): Finding[] => {
    const rolesBefore = old.get(host) ?? [];
    if (roles.every((role) => rolesBefore.includes(role))) return [];
    const place = `credential.hosts.${host}`;
    return [{ rule: 'token-host-added', place, ...values(rolesBefore, roles), ...AT_CREDENTIAL }];
  });
}

function checkRequestedScopes(before: ServiceSurface | null, after: ServiceSurface): Finding[] {
  const [old, now] = [requestedScopesOf(before), requestedScopesOf(after)];
  const added = now.filter((scope) => !old.includes(scope));
  const dropped = old.filter((scope) => !now.includes(scope));
  const place = 'credential.scopes';
  return [
    ...(added.length === 0 ? [] : [{ rule: 'scope-asked' as const, place, after: added, ...AT_CREDENTIAL }]),
    ...(dropped.length === 0 ? [] : [{ rule: 'scope-dropped' as const, place, before: dropped, ...AT_CREDENTIAL }]),
  ];
}

/** Compares parts that both sides have. */
function checkRules(before: ServiceSurface | null, after: ServiceSurface): Finding[] {
  const old = new Map(signInsOf(before).map(({ id, oauth2 }) => [id, oauth2]));
  return signInsOf(after).flatMap(({ id, oauth2: newSettings }) => {
    const oldSettings = old.get(id);
    if (oldSettings === undefined) return [];
    const names = [...new Set([...Object.keys(oldSettings), ...Object.keys(newSettings)])];
    return names.flatMap((name): Finding[] => {
      if (name === 'scopes' || name === 'flow' || isSame(oldSettings[name], newSettings[name])) return [];
      const isWeaker =
        (name === 'pkce' && newSettings[name] !== true) || (name === 'issuer' && oldSettings[name] !== null);
      return [
        {
          rule: isWeaker ? 'sign-in-weakened' : 'sign-in-changed',
          place: `credential.${id}.${name}`,
          before: oldSettings[name] ?? undefined,
          after: newSettings[name] ?? undefined,
          ...AT_CREDENTIAL,
        },
      ];
    });
  });
}

type SignIn = CredentialPart & { readonly oauth2: Readonly<Record<string, unknown>> };

function signInsOf(service: ServiceSurface | null): SignIn[] {
  return partsOf(service).flatMap((part) => (isRecord(part.oauth2) ? [{ ...part, oauth2: part.oauth2 }] : []));
}

function rolesByHost(service: ServiceSurface | null): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const { oauth2 } of signInsOf(service)) {
    for (const [member, role] of ENDPOINTS) {
      const url = oauth2[member];
      if (typeof url !== 'string') continue;
      const host = URL.canParse(url) ? new URL(url).host : url;
      const roles = hosts.get(host) ?? [];
      hosts.set(host, roles);
      if (!roles.includes(role)) roles.push(role);
    }
  }
  return hosts;
}

function requestedScopesOf(service: ServiceSurface | null): readonly string[] {
  const signIns = signInsOf(service);
  if (service === null || signIns.length === 0) return [];
  const needs = service.tools.map(scopesOf);
  return [...new Set(signIns.flatMap(({ oauth2 }) => selectScopes(textsOf(oauth2.scopes), needs)))].sort();
}

function scopesOf({ members }: ToolSurface): readonly (readonly string[])[] {
  return Array.isArray(members.scopes) ? members.scopes.map(textsOf) : [];
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** An empty list is reported as undefined. */
function values(before: readonly unknown[], after: readonly unknown[]) {
  return { before: before.length === 0 ? undefined : before, after: after.length === 0 ? undefined : after };
}
