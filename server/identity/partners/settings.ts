/** Checks a partner's settings, by the same rules in the dashboard and on the command line. */

import { RequestError } from '../../base/http/errors.ts';
import type { PartnerSettings } from '../../base/store/repositories/partners.ts';
import { PARTNER_RULES } from '../../call/tools/approvals/policy.ts';
import { parseCallRules } from '../../call/tools/catalogue/call-rules.ts';
import { checkRegistrableRedirectUri } from '../protocol/redirect-uri.ts';
import { SettingError } from './setting-error.ts';

const CLIENT_ID = /^[A-Za-z0-9._-]{3,100}$/;
const MAX_NAME_LENGTH = 200;
const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/;
const MAX_LOGO_CHARACTERS = 3;
const MAX_REDIRECT_URIS = 20;

/** Every setting that can be typed wrongly. */
export type PartnerSettingName = keyof PartnerSettings | 'clientId';

/** Settings as typed. Undefined ones are not checked; an empty text removes an optional setting. */
export interface TypedPartnerSettings {
  readonly name?: string | undefined;
  readonly redirectUris?: readonly string[] | undefined;
  readonly connectUri?: string | undefined;
  readonly logoText?: string | undefined;
  readonly accentColor?: string | undefined;
  /** Null for every service. */
  readonly services?: readonly string[] | null | undefined;
  readonly plainLinks?: boolean | undefined;
  readonly footer?: boolean | undefined;
  readonly ownerSharing?: boolean | undefined;
  /** Kinds of calls. If there are none, users approve no more than the operator requires. */
  readonly approvals?: readonly string[] | undefined;
  /** Rules about the number of calls, see `CallRule`. If there are none, only those of the operator hold. */
  readonly callLimits?: readonly string[] | undefined;
}

/**
 * Checks typed settings.
 *
 * @param servedServices names of the connectors that the gateway serves.
 * @throws {SettingError} for the first invalid setting.
 */
export function parsePartnerSettings(
  typed: TypedPartnerSettings,
  servedServices: readonly string[],
): Partial<PartnerSettings> {
  const { name, redirectUris, connectUri, logoText, accentColor, services, plainLinks } = typed;
  const { footer, ownerSharing, approvals, callLimits } = typed;
  const settings: Partial<PartnerSettings> = {};
  if (name !== undefined) settings.name = parseName(name);
  if (redirectUris !== undefined) settings.redirectUris = parseRedirectUris(redirectUris);
  if (connectUri !== undefined) settings.connectUri = parseConnectUri(connectUri.trim());
  if (logoText !== undefined) settings.logoText = parseLogoText(logoText.trim());
  if (accentColor !== undefined) settings.accentColor = parseColor(accentColor.trim().toLowerCase());
  if (services !== undefined) settings.services = parseServices(services, servedServices);
  if (plainLinks !== undefined) settings.plainLinks = plainLinks;
  if (footer !== undefined) settings.footer = footer;
  if (ownerSharing !== undefined) settings.ownerSharing = ownerSharing;
  if (approvals !== undefined) settings.approvals = parseApprovals(approvals);
  if (callLimits !== undefined) settings.callLimits = parseCallLimits(callLimits);
  return settings;
}

/** @throws {SettingError} unless it is 3 to 100 letters, digits, dots, hyphens and underscores. */
export function parseClientId(clientId: string): string {
  if (CLIENT_ID.test(clientId)) return clientId;
  throw new SettingError<PartnerSettingName>(
    'clientId',
    'must be 3 to 100 letters, digits, dots, hyphens and underscores',
  );
}

/** A `client_id` derived from a partner's name. It may still be refused: see `parseClientId`. */
export function toClientId(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

function parseName(text: string): string {
  const name = text.trim();
  if (name === '') throw new SettingError<PartnerSettingName>('name', 'is missing');
  if (name.length > MAX_NAME_LENGTH)
    throw new SettingError<PartnerSettingName>('name', `has more than ${MAX_NAME_LENGTH} characters`);
  return name;
}

function parseRedirectUris(uris: readonly string[]): string[] {
  const unique = [...new Set(uris.map((uri) => uri.trim()).filter((uri) => uri !== ''))];
  if (unique.length > MAX_REDIRECT_URIS) {
    throw new SettingError<PartnerSettingName>('redirectUris', `has more than ${MAX_REDIRECT_URIS} addresses`);
  }
  for (const uri of unique) checkAddress('redirectUris', uri);
  return unique;
}

function parseConnectUri(uri: string): string | null {
  if (uri === '') return null;
  checkAddress('connectUri', uri);
  return uri;
}

function checkAddress(setting: 'redirectUris' | 'connectUri', uri: string): void {
  try {
    checkRegistrableRedirectUri(uri, []);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    throw new SettingError<PartnerSettingName>(
      setting,
      'must be https, or http on localhost, without a fragment and a user',
    );
  }
}

function parseLogoText(text: string): string | null {
  if (text === '') return null;
  const characters = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)];
  if (characters.length > MAX_LOGO_CHARACTERS || text.length > 40) {
    throw new SettingError<PartnerSettingName>('logoText', `must be 1 to ${MAX_LOGO_CHARACTERS} characters`);
  }
  return text;
}

function parseColor(text: string): string | null {
  if (text === '') return null;
  if (!COLOR.test(text)) throw new SettingError<PartnerSettingName>('accentColor', 'must be a colour such as #0a66c2');
  return text.length === 7 ? text : text.replaceAll(/[0-9a-f]/g, '$&$&');
}

function parseApprovals(kinds: readonly string[]): string[] | null {
  const unknown = kinds.find((kind) => !(PARTNER_RULES as readonly string[]).includes(kind));
  if (unknown === undefined) return kinds.length === 0 ? null : PARTNER_RULES.filter((kind) => kinds.includes(kind));
  throw new SettingError<PartnerSettingName>(
    'approvals',
    `names "${unknown}". Kinds of calls: ${PARTNER_RULES.join(', ')}`,
  );
}

function parseCallLimits(rules: readonly string[]): string[] | null {
  try {
    const parsed = parseCallRules(rules.join(','));
    return parsed.length === 0 ? null : parsed.map(({ text }) => text);
  } catch (error) {
    throw new SettingError<PartnerSettingName>('callLimits', (error as Error).message);
  }
}

function parseServices(services: readonly string[] | null, served: readonly string[]): string[] | null {
  if (services === null) return null;
  const names = [...new Set(services.map((service) => service.trim()).filter((service) => service !== ''))];
  const unknown = names.find((service) => !served.includes(service));
  if (unknown === undefined) return names.sort();
  throw new SettingError<PartnerSettingName>(
    'services',
    `names "${unknown}". Services: ${[...served].sort().join(', ')}`,
  );
}
