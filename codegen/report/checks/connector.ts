/** The service itself: base URLs, what a user must supply, how a credential is tested, how errors are read. */

import type { ServerTemplate, ServerVariable } from '../../../server/contract/index.ts';
import { isSame } from '../../json.ts';
import type { Finding, ServiceSurface } from '../types.ts';
import { checkCredential } from './credential.ts';
import { hostOf, isCredentialSentTo } from './credential-hosts.ts';
import { checkSignIn } from './sign-in.ts';

type Members = ServiceSurface['members'];

/**
 * Members with their own rules, and `search` and `descriptor`, which derive from such members; `changed-otherwise`
 * reports any other.
 */
const KNOWN_MEMBERS = [
  'name',
  'title',
  'description',
  'categories',
  'credential',
  'verify',
  'account',
  'servers',
  'errors',
  'rateLimitHeaders',
  'caps',
  'descriptor',
  'search',
];

export function checkConnector(before: ServiceSurface, after: ServiceSurface): Finding[] {
  const [old, now] = [before.members, after.members];
  const otherMembers = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => !KNOWN_MEMBERS.includes(name),
  );
  return [
    ...checkServers(before, after),
    ...checkCredential(old, now),
    ...checkSignIn(before, after),
    ...compare(old, now, 'verify', 'verify-changed'),
    ...compare(old, now, 'account', 'account-changed'),
    ...['errors', 'rateLimitHeaders'].flatMap((name) => compare(old, now, name, 'errors-changed')),
    ...compare(old, now, 'caps', 'caps-changed'),
    ...['title', 'description', 'categories'].flatMap((name) => compare(old, now, name, 'service-words-changed')),
    ...otherMembers.flatMap((name) => compare(old, now, name, 'changed-otherwise')),
    ...checkSkills(before, after),
  ];
}

/** Skills by name: each is one decision, with all its texts. */
export function checkSkills(before: ServiceSurface | null, after: ServiceSurface): Finding[] {
  const [old, now] = [before?.skills ?? {}, after.skills ?? {}];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].sort().flatMap((name): Finding[] => {
    if (isSame(old[name], now[name])) return [];
    const change = old[name] === undefined ? 'added' : now[name] === undefined ? 'removed' : 'changed';
    return [{ rule: `skill-${change}`, place: `skills.${name}`, before: old[name], after: now[name] }];
  });
}

function compare(old: Members, now: Members, name: string, rule: Finding['rule']): Finding[] {
  if (isSame(old[name], now[name])) return [];
  return [{ rule, place: name, before: old[name] ?? undefined, after: now[name] ?? undefined, pointer: [name] }];
}

function checkServers(before: ServiceSurface, after: ServiceSurface): Finding[] {
  const [old, now] = [before.members, after.members];
  const [oldVariables, newVariables] = [variablesOf(old), variablesOf(now)];
  const [oldUrls, newUrls] = [urlsOf(old), urlsOf(now)];
  const serversPointer = { pointer: ['servers'] };
  return [
    ...oldUrls
      .filter((url) => !newUrls.includes(url))
      .map((url): Finding => ({ rule: 'server-removed', place: `servers.${url}`, before: url, ...serversPointer })),
    ...newUrls
      .filter((url) => !oldUrls.includes(url))
      .map((url): Finding => ({ rule: 'server-added', place: `servers.${url}`, after: url, ...serversPointer })),
    ...[...oldVariables].flatMap(([name, variable]): Finding[] => {
      const newVariable = newVariables.get(name);
      const place = `servers.${name}`;
      if (newVariable === undefined) {
        return [
          {
            rule: 'server-variable-changed',
            place,
            before: variable.env,
            note: 'the setting is gone',
            ...serversPointer,
          },
        ];
      }
      const { default: address, ...setting } = variable;
      const { default: newAddress, ...newSetting } = newVariable;
      return [
        ...(isSame(setting, newSetting)
          ? []
          : [
              {
                rule: 'server-variable-changed' as const,
                place,
                before: setting,
                after: newSetting,
                ...serversPointer,
              },
            ]),
        ...(address === newAddress ? [] : [toAddressChange(name, { before, after })]),
      ];
    }),
  ];
}

/** Another default of a server variable. */
function toAddressChange(
  name: string,
  { before, after }: { readonly before: ServiceSurface; readonly after: ServiceSurface },
): Finding {
  const templates = urlsOf(after.members).filter((url) => url.includes(`{${name}}`));
  const isMoved = templates.some((url) => hostOf(url, before) !== hostOf(url, after));
  return {
    rule: isMoved && isCredentialSentTo(name, after) ? 'credential-host-changed' : 'server-default-changed',
    place: `servers.${name}.default`,
    before: variablesOf(before.members).get(name)?.default,
    after: variablesOf(after.members).get(name)?.default,
    pointer: ['servers'],
  };
}

function serversOf({ servers }: Members): readonly ServerTemplate[] {
  return Array.isArray(servers) ? servers : [];
}

function urlsOf(members: Members): string[] {
  return serversOf(members).map(({ url }) => url);
}

function variablesOf(members: Members): ReadonlyMap<string, ServerVariable> {
  return new Map(serversOf(members).flatMap(({ variables }) => variables.map((variable) => [variable.name, variable])));
}
