/** The secrets that one security scheme, or one part of connector.yaml, requires from a user, and the places in which a request carries them. */

import { withoutUndefined } from '../../json.ts';
import { entryOf } from '../../json-pointer.ts';
import type { CredentialConfig, PartConfig } from '../../load/credential-config.ts';
import type { SecuritySchemeModel, ServiceModel } from '../../model/types.ts';
import type { Reporter } from '../problems.ts';
import { isToken } from '../request/parameter-styles.ts';
import type { CredentialPart } from '../types.ts';
import { toWords } from '../words/words.ts';
import { type OAuth2Fault, type Site, toOAuth2Rules } from './oauth2.ts';

/** The part for a scheme, or why there is none: a sentence without its subject. */
type SchemePart =
  | { readonly part: CredentialPart; readonly description: string }
  | { readonly reason: string; readonly fault: OAuth2Fault | null };

/** Every scheme of the descriptor, by id. */
export type SchemeParts = ReadonlyMap<string, SchemePart>;

export function toSchemeParts(
  schemes: readonly SecuritySchemeModel[],
  config: CredentialConfig,
  site: Site,
): SchemeParts {
  return new Map(schemes.map((scheme) => [scheme.id, toSchemePart(scheme, config, site)]));
}

/** The part for a scheme; undefined if it has none, or if the descriptor lacks the scheme. */
export function partOf(schemes: SchemeParts, id: string): CredentialPart | undefined {
  const schemePart = schemes.get(id);
  return schemePart !== undefined && 'part' in schemePart ? schemePart.part : undefined;
}

/** Describes a scheme within a sentence: `basic`, `an API key in a cookie`, `oauth2 that has no tokenUrl`. */
export function describeScheme(schemes: SchemeParts, id: string): string {
  const schemePart = schemes.get(id);
  if (schemePart === undefined) return 'unknown';
  if ('reason' in schemePart) return schemePart.reason;
  const { type } = schemePart.part;
  return type === 'header' || type === 'query' || type === 'cookie' ? `an API key in a ${type}` : type;
}

function toSchemePart(scheme: SecuritySchemeModel, config: CredentialConfig, site: Site): SchemePart {
  const { id, description } = scheme;
  const label = entryOf(config.labels, id);
  const toResult = (part: CredentialPart): SchemePart => ({ part, description });
  switch (scheme.type) {
    case 'bearer':
      return toResult({ id, type: 'bearer', label: label ?? 'Access token', name: null });
    case 'basic':
      return toResult({ id, type: 'basic', label: label ?? 'User name and password', name: null });
    case 'apiKey':
      if (scheme.in === 'cookie' && !isToken(scheme.name)) return { reason: 'an API key in a cookie', fault: null };
      return toResult({
        id,
        type: scheme.in,
        label: label ?? labelOfKey(id),
        name: scheme.name,
        ...(scheme.in === 'header'
          ? prefixOf(entryOf(config.prefixes, id) ?? findHeaderPrefix(scheme.name, description) ?? '')
          : {}),
      });
    case 'oauth2': {
      const parsed = toOAuth2Rules(scheme, entryOf(config.oauth2, id) ?? {}, site);
      if ('rules' in parsed) {
        return toResult({ id, type: 'oauth2', label: label ?? 'Account', name: null, oauth2: parsed.rules });
      }
      const { fault } = parsed;
      return { reason: scheme.flows.length === 0 ? scheme.kind : `${scheme.kind} that ${fault.text}`, fault };
    }
    case 'unsupported':
      return { reason: scheme.kind, fault: null };
  }
}

/** Returns what the connect page calls the key of a scheme without a label. */
function labelOfKey(id: string): string {
  const words = toWords(id);
  if (!words.includes('token')) return 'API key';
  return words.includes('personal') ? 'Personal access token' : 'Access token';
}

/** The context in which the kinds and parts of connector.yaml are read. */
export interface ConfigContext {
  readonly model: ServiceModel;
  /** `credential.oauth2` of connector.yaml. */
  readonly oauth2: CredentialConfig['oauth2'];
  readonly site: Site;
  readonly schemes: SchemeParts;
  readonly report: Reporter;
}

/** A part of connector.yaml; null if its OAuth 2.0 cannot work, which is reported. */
export function readPartConfig(
  partConfig: PartConfig,
  { model, oauth2, site, report }: ConfigContext,
): CredentialPart | null {
  const { id, label } = partConfig;
  if ('name' in partConfig) {
    return {
      id,
      type: partConfig.type,
      label,
      name: partConfig.name,
      ...prefixOf(partConfig.type === 'header' ? partConfig.prefix : undefined),
      isPublic: partConfig.secret === false || undefined,
      pattern: partConfig.pattern,
    };
  }
  if (partConfig.type !== 'oauth2') return { id, type: partConfig.type, label, name: null };
  const scheme = model.securitySchemes.find((one) => one.id === id);
  const parsed = toOAuth2Rules(scheme?.type === 'oauth2' ? scheme : null, entryOf(oauth2, id) ?? {}, site);
  if ('rules' in parsed) return { id, type: 'oauth2', label, name: null, oauth2: parsed.rules };
  reportOAuth2Fault(id, parsed.fault, report);
  return null;
}

/** A word gets a space after it; `Token token=` stays unchanged. */
function prefixOf(text = ''): { readonly prefix?: string } {
  return text === '' ? {} : { prefix: /[A-Za-z0-9]$/.test(text) ? `${text} ` : text };
}

/** A part in the form of `connector.yaml`. */
export function writePartConfig(part: CredentialPart): Readonly<Record<string, string | false>> {
  const { id, type, label } = part;
  if (part.type === 'oauth2') return { id, type, label };
  const { name, prefix, isPublic, pattern } = part;
  const secret = isPublic === true ? false : undefined;
  return withoutUndefined({ id, type, label, name: name ?? undefined, prefix, secret, pattern });
}

/** Reports it where connector.yaml sets the OAuth 2.0 of a scheme or part, or could set it. */
export function reportOAuth2Fault(id: string, { text, key }: OAuth2Fault, report: Reporter): void {
  report.config(
    'config-oauth2',
    ['credential', 'oauth2', id],
    `${id} ${text}.`,
    key.endsWith('Url') ? `Write \`${key}: https://...\` at credential.oauth2.${id}.` : `Remove it from ${key}.`,
  );
}

/** The place of a parameter, as `placeOf` writes it: names of headers do not depend on case. */
export function placeOfParameter({ in: place, name }: { readonly in: string; readonly name: string }): string {
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`;
}

/** The place that a part fills: `header authorization`, `query api_key`, `body auth.key`. */
export function placeOf({ type, name }: CredentialPart): string {
  if (type !== 'header' && name !== null) return `${type} ${name}`;
  return `header ${type === 'header' ? (name ?? '').toLowerCase() : 'authorization'}`;
}

/** Types with more than one field; the names of their fields start with the id. */
export const MANY_FIELDS: ReadonlySet<CredentialPart['type']> = new Set(['basic', 'oauth2']);

/** Sentences on parts of one kind that cannot be sent together; empty if all can. */
export function findClashes(parts: readonly CredentialPart[]): string[] {
  const findRepeated = (values: readonly string[]) => [
    ...new Set(values.filter((value, index) => values.indexOf(value) < index)),
  ];
  return [
    ...findRepeated(parts.map(({ id }) => id)).flatMap((id) => {
      const partsWithId = parts.filter((part) => part.id === id);
      const isOneField = partsWithId.every(
        ({ type, label }) => !MANY_FIELDS.has(type) && label === partsWithId[0]?.label,
      );
      return isOneField ? [] : `Two parts of the credential have the id ${id}, and are not one secret under one label.`;
    }),
    ...findRepeated(parts.map(placeOf)).map((place) => {
      const ids = parts.filter((part) => placeOf(part) === place).map(({ id }) => id);
      return `The parts ${ids.join(' and ')} of the credential both write the ${place}.`;
    }),
  ];
}

/** Placeholders for a key: `<key>`, `{api_key}`, `[key]`, `$KEY`, `YOUR_KEY`, `your-key`, `xxxx`. */
const KEY = String.raw`(?:<[^<>\n]{1,60}>|\{[^{}\n]{1,60}\}|\[[^[\]\n]{1,60}\]|\$[A-Z_]{2,60}|[Yy]our[-_][\w-]{1,60}|[A-Z][A-Z0-9]{0,30}[-_][A-Z0-9_-]{1,60}|[xX]{3,60})`;
const WORD = String.raw`([A-Za-z][\w-]{0,40}(?: [a-z]{1,20}=| ))`;
const QUOTE = '["\'`]';

/** `` `Token <key>` ``, in quotes as a whole. */
const QUOTED_PREFIX = new RegExp(`${QUOTE}${WORD}"?${KEY}"?${QUOTE}`, 'g');

/** `with required prefix "Token"`, `prefixed with 'Token '`. */
const NAMED_PREFIX = new RegExp(
  String.raw`\b(?:required prefix|prefix(?:ed)? (?:it )?(?:with|by))\s+${QUOTE}([A-Za-z][\w-]{0,40}(?: [a-z]{1,20}=)?) ?${QUOTE}`,
  'gi',
);

/** Words that begin a sentence about a key, not a header. */
const NO_PREFIX = /^(a|an|api|key|my|the|this|use|your)$/i;

/**
 * The prefix with its space; null if the text does not show it, or shows two.
 *
 * @param header name of the header
 */
function findHeaderPrefix(header: string, text: string): string | null {
  const name = header.replaceAll(/[^\w-]/g, '');
  const headerExample = new RegExp(String.raw`(?<![\w-])${name}${QUOTE}?\s*:\s*${QUOTE}?${WORD}"?${KEY}`, 'gi');
  const prefixes = [headerExample, QUOTED_PREFIX, NAMED_PREFIX].flatMap((expression) =>
    [...text.matchAll(expression)].map(([, prefix = '']) => prefix.trimEnd()),
  );
  const distinct = new Set(prefixes.filter((prefix) => !NO_PREFIX.test(prefix)));
  const [prefix] = distinct;
  if (prefix === undefined || distinct.size > 1) return null;
  return prefix.endsWith('=') ? prefix : `${prefix} `;
}
