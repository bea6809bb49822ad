/** Server URL templates such as `https://{tenant}.example.com/v2`: where their variables stand, and values that stay in their place. */

const PARTS = /^([^/?#]*):\/\/([^/?#]*)(.*)$/s;
const VARIABLE = /\{([^{}]+)\}/g;

/** The form of an authority: a name or an address, and a port. */
const AUTHORITY = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** A value of a user is a host, a label of one, or a segment of a path. */
const OF_USER = /^[A-Za-z0-9_](?:[A-Za-z0-9_~-]|\.(?!\.))*(?<!\.)$/;
const IP_ADDRESS = /^[\d.]+$/;

/**
 * The part of a URL that a variable fills: the whole URL, the whole host, a part of the host, or the path. Null for a scheme, a port or a query, or
 * if the URL does not have it.
 */
type VariablePosition = 'url' | 'host' | 'label' | 'path';

export function variablePosition(template: string, name: string): VariablePosition | null {
  const text = `{${name}}`;
  if (template === text) return 'url';
  const [, , authority = '', rest = ''] = PARTS.exec(template) ?? [];
  const host = authority.replace(/:\d+$/, '');
  if (host === text) return 'host';
  if (host.split('.').some((label) => label.includes(text))) return host.includes(':') ? null : 'label';
  return rest.includes(text) && !/[?#]/.test(rest) ? 'path' : null;
}

/** The text with values in place of variables; a variable without one stays. */
export function fillVariables(text: string, valueFor: (name: string) => string | undefined): string {
  return text.replace(VARIABLE, (placeholder, name: string) => valueFor(name) ?? placeholder);
}

/**
 * Fills in a template. Variables without a value stay, as `{tenant}`.
 *
 * No value may change the structure: a host stays the text that the template shows, without a scheme, a user or a path in it, and a path
 * keeps its segments.
 *
 * @returns the path with its final slash, if it has one; null if it is no absolute http or https URL without user, query and fragment, or a value leaves its place.
 */
export function fillServerUrl(template: string, valueFor: (name: string) => string | undefined): string | null {
  const filled = fillVariables(template, valueFor);
  const sampleUrl = filled.replace(VARIABLE, 'x');
  if (!URL.canParse(sampleUrl)) return null;
  const { protocol, username, password, search, hash, hostname, pathname, origin } = new URL(sampleUrl);
  if (!/^https?:$/.test(protocol) || username + password + search + hash !== '') return null;
  const [, , authority, rest] = PARTS.exec(template) ?? [];
  if (authority !== undefined && template.includes('{')) {
    const fill = (text: string) => fillVariables(fillVariables(text, valueFor), () => 'x');
    const expectedAuthority = fill(authority);
    if (!AUTHORITY.test(expectedAuthority) || expectedAuthority.replace(/:\d+$/, '').toLowerCase() !== hostname)
      return null;
    if (pathname.replace(/\/+$/, '') !== fill(rest ?? '').replace(/\/+$/, '')) return null;
  }
  if (sampleUrl !== filled) return filled;
  return pathname === '/' ? origin : origin + pathname;
}

/** Returns true if a value that a user gave may be part of a URL, whatever a pattern allows: no separator, no `..`, no IP address. */
export function isUserValue(value: string): boolean {
  return value.length <= 253 && OF_USER.test(value) && !IP_ADDRESS.test(value);
}
