/** Shows a partner on pages: its logo or initials next to its name, and its accent colour. */

import { createHash } from 'node:crypto';
import type { Connector } from '../../contract/index.ts';
import type { Partner } from '../store/repositories/partners.ts';
import { edgeOn, textOn } from './contrast.ts';
import { type Html, html, shownName, toPlainText } from './html.ts';
import { GROUNDS } from './style.ts';

/** Members of a partner that pages show. */
export type Brand = Pick<
  Partner,
  'clientId' | 'accentColor' | 'logoHash' | 'logoText' | 'suspendedAt' | 'footer' | 'realm'
>;

/** Path of the logos. */
export const LOGO_PATH = '/brand';

/** Returns the path of the partner's logo, or null if it has none or is suspended. The hash gives each image its own address. */
export function logoPathOf({ clientId, logoHash, suspendedAt }: Brand): string | null {
  return logoHash === null || suspendedAt !== null ? null : `${LOGO_PATH}/${encodeURIComponent(clientId)}/${logoHash}`;
}

/**
 * Returns the partner's logo or its initials, or null if it has neither. Show the name next to it: a screen reader does not read a logo, and a logo
 * proves nothing, because partners choose it. It is square and small, so that no sentence in it is legible.
 */
export function markOf(brand: Brand): Html | null {
  const path = logoPathOf(brand);
  if (path !== null) return html`<img class="logo" src="${path}" alt="" width="40" height="40">`;
  const initials = brand.logoText === null ? null : toPlainText(brand.logoText, 3);
  return initials === null
    ? null
    : html`<span class="logo" data-length="${initials.length}" aria-hidden="true">${initials}</span>`;
}

/** Returns the first letter of a name that has no mark. It has no colour, because it claims nothing. */
export function letterOf(name: string): Html {
  const [letter = ''] = /[\p{L}\p{N}]/u.exec(name) ?? [];
  return html`<span class="logo letter" aria-hidden="true">${letter.toUpperCase()}</span>`;
}

/** The partner's mark next to that of whom it is about to work with. Name both below. */
export function pairOf(partner: Partner, other: Html): Html {
  return html`<div class="pair">${markOf(partner) ?? letterOf(partnerNameOf(partner))}${other}</div>`;
}

/** The partner's name, safe to show. */
export function partnerNameOf({ name }: Partner): string {
  return shownName(name) ?? 'An application without a name';
}

/** Path of the logos of services. */
export const SERVICE_LOGO_PATH = '/services';

/** Members of a connector that its mark shows. */
type MarkedService = Pick<Connector, 'name' | 'title' | 'logo'>;

/** Returns the path of a service's logo, or null if it has none. */
export function serviceLogoPathOf({ name, logo }: MarkedService): string | null {
  return logo === undefined ? null : `${SERVICE_LOGO_PATH}/${name}/logo/${logo.hash}`;
}

/** Returns the logo of a service, or without one a coloured monogram. Show its title next to it. */
export function serviceMarkOf(connector: MarkedService): Html {
  const path = serviceLogoPathOf(connector);
  if (path !== null) return html`<img class="logo" src="${path}" alt="" width="40" height="40">`;
  return html`<svg class="logo" viewBox="0 0 40 40" width="40" height="40" aria-hidden="true"><rect width="40" height="40" fill="${monogramColor(connector.name)}"/><text x="20" y="25.5" text-anchor="middle">${monogramOf(connector.title)}</text></svg>`;
}

/** Returns the initials of the first two words of a title, or the first two letters of a single word. */
export function monogramOf(title: string): string {
  const [first = '', second = ''] = title.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  if (second === '') return [...first].slice(0, 2).join('');
  return [first, second].map((word) => [...word][0]?.toUpperCase()).join('');
}

/** Twelve hues, 30 degrees apart. White text on each has a contrast of at least 4.5 (WCAG 2.2 §1.4.3). */
const MONOGRAM_COLORS = [
  '#b6303e',
  '#a44c06',
  '#886108',
  '#6d6e0a',
  '#267e05',
  '#0c7b60',
  '#10777c',
  '#0e7397',
  '#2663c9',
  '#6b50c2',
  '#9240a4',
  '#ab3276',
];

/** Returns the colour of a name. The second byte of the digest gives each of the bundled services another hue. */
function monogramColor(name: string): string {
  const [, seed = 0] = createHash('sha256').update(name).digest();
  return MONOGRAM_COLORS[seed % MONOGRAM_COLORS.length] ?? '';
}

/** Tiles that stand for a list of services. */
const MAX_TILES = 4;

/** Returns the marks of services, one over the edge of the next, and how many more there are. Name them below. */
export function serviceTiles(connectors: readonly MarkedService[]): Html {
  const moreCount = connectors.length - MAX_TILES;
  return html`<div class="tiles">${connectors.slice(0, MAX_TILES).map(serviceMarkOf)}${moreCount > 0 ? html`<span class="logo letter" aria-hidden="true">+${moreCount}</span>` : null}</div>`;
}

/** Text needs 4.5 (WCAG 2.2 §1.4.3). Links also stand in notices, whose backgrounds are between those of cards and texts. */
const LINK_CONTRAST = 5.5;

/** Adds the accent colour to a page's style sheet. Text on it is black or white, and its edges are visible in light and dark mode. */
export function accentStyle(accentColor: string | null): string {
  if (accentColor === null || !/^#[0-9a-f]{6}$/.test(accentColor)) return '';
  const [light, dark] = [GROUNDS.light, GROUNDS.dark].map(({ card, page }) => {
    const edge = edgeOn(accentColor, [card, page]);
    return `--brand-edge: ${edge}; --brand-link: ${edgeOn(accentColor, [card, page], LINK_CONTRAST)};`;
  });
  return `
:root { --brand: ${accentColor}; --brand-text: ${textOn(accentColor)}; ${light} }
@media (prefers-color-scheme: dark) { :root { ${dark} } }
span.logo { color: var(--brand-text); background: var(--brand); }
button.primary, .button { color: var(--brand-text); background: var(--brand); border-color: var(--brand-edge); }
button.primary:hover, .button:hover { background: var(--brand); border-color: var(--text); }
a { color: var(--brand-link); }
.choice input { accent-color: var(--brand-edge); }
:focus-visible { outline-color: var(--brand-edge); }
`;
}
