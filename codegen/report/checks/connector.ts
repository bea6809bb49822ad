/** The service itself: base URLs, what a user must supply, how a credential is tested, how errors are read. */

import type { ServerTemplate, ServerVariable } from '../../../server/contract/index.ts';
import { compareMember, ifChanged, namesInEither } from '../finding.ts';
import type { Finding, ServiceSurface } from '../types.ts';
import { checkCredential } from './credential.ts';
import { hostOf, isCredentialSentTo } from './credential-hosts.ts';
import { checkSignIn } from './sign-in.ts';

type Members = ServiceSurface['members'];

/** The rule for each member of a connector; null for those that have checks of their own, or derive from such members. */
const MEMBER_RULES: Readonly<Record<string, Finding['rule'] | null>> = {
  verify: 'verify-changed',
  account: 'account-changed',
  errors: 'errors-changed',
  rateLimitHeaders: 'errors-changed',
  caps: 'caps-changed',
  title: 'service-words-changed',
  description: 'service-words-changed',
  categories: 'service-words-changed',
  name: null,
  credential: null,
  servers: null,
  descriptor: null,
  search: null,
};

export function checkConnector(before: ServiceSurface, after: ServiceSurface): Finding[] {
  const [old, now] = [before.members, after.members];
  return [
    ...checkServers(before, after),
    ...checkCredential(old, now),
    ...checkSignIn(before, after),
    ...namesInEither(old, now).flatMap((name) => {
      const rule = MEMBER_RULES[name] === undefined ? 'changed-otherwise' : MEMBER_RULES[name];
      return rule === null ? [] : compareMember(old, now, name, rule);
    }),
    ...checkSkills(before, after),
  ];
}

/** Skills by name: each is one decision, with all its texts. */
export function checkSkills(before: ServiceSurface | null, after: ServiceSurface): Finding[] {
  const [old, now] = [before?.skills ?? {}, after.skills ?? {}];
  return namesInEither(old, now).flatMap((name) => {
    const change = old[name] === undefined ? 'added' : now[name] === undefined ? 'removed' : 'changed';
    return ifChanged({ rule: `skill-${change}`, place: `skills.${name}`, before: old[name], after: now[name] });
  });
}

function checkServers(before: ServiceSurface, after: ServiceSurface): Finding[] {
  const [old, now] = [before.members, after.members];
  const [oldUrls, newUrls] = [urlsOf(old), urlsOf(now)];
  const pointer = ['servers'];
  return [
    ...oldUrls
      .filter((url) => !newUrls.includes(url))
      .map((url): Finding => ({ rule: 'server-removed', place: `servers.${url}`, before: url, pointer })),
    ...newUrls
      .filter((url) => !oldUrls.includes(url))
      .map((url): Finding => ({ rule: 'server-added', place: `servers.${url}`, after: url, pointer })),
    ...[...variablesOf(old).values()].flatMap((variable) => checkVariable(variable, { before, after })),
  ];
}

interface Services {
  readonly before: ServiceSurface;
  readonly after: ServiceSurface;
}

function checkVariable({ name, default: address, ...setting }: ServerVariable, services: Services): Finding[] {
  const newVariable = variablesOf(services.after.members).get(name);
  const finding = { rule: 'server-variable-changed', place: `servers.${name}`, pointer: ['servers'] } as const;
  if (newVariable === undefined) return [{ ...finding, before: setting.env, note: 'the setting is gone' }];
  const { default: newAddress, name: _, ...newSetting } = newVariable;
  return [
    ...ifChanged({ ...finding, before: { name, ...setting }, after: { name, ...newSetting } }),
    ...ifChanged({
      rule: ruleOfAddress(name, services),
      place: `servers.${name}.default`,
      before: address,
      after: newAddress,
      pointer: ['servers'],
    }),
  ];
}

/** The rule for another default of a server variable. */
function ruleOfAddress(name: string, { before, after }: Services): Finding['rule'] {
  const templates = urlsOf(after.members).filter((url) => url.includes(`{${name}}`));
  const isMoved = templates.some((url) => hostOf(url, before) !== hostOf(url, after));
  return isMoved && isCredentialSentTo(name, after) ? 'credential-host-changed' : 'server-default-changed';
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
